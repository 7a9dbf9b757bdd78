#include "copy/transfer.hpp"

namespace gpugauge::bench::copy {
namespace {

/// `copy` copies once by the way that was timed; it need not wait.
template <typename Host, typename Copy>
void verify(Trial& trial, Pair<Host>& pair, const Copy& copy) {
  pair.verify(trial, as_timed);
  pair.poison_target();
  copy();
  pair.verify(trial, once_more);
}

}  // namespace

void copy_by_engine(Trial& trial, Direction direction) {
  const std::uint64_t bytes = bytes_of(trial.parameter("size"));
  Pair<cuda::PinnedBuffer<float>> pair(trial, bytes, direction);
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) { pair.enqueue(stream); });
  AtMost batches(timer, most_copies(bytes));
  trial.work({.bytes = static_cast<double>(bytes)});
  trial.time(batches);
  verify(trial, pair, [&] { timer.enqueue_one(); });
}

void copy_by_kernel(Trial& trial, Direction direction) {
  const std::uint64_t bytes = bytes_of(trial.parameter("size"));
  Pair<cuda::PinnedBuffer<float>> pair(trial, bytes, direction);
  float* const host = pair.host_buffer().on_device();
  const bool in = direction == Direction::to_device;
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(
        kernels::memory::copy(in ? host : pair.device(), in ? pair.device() : host, pair.count(), stream),
        "launching the copy kernel");
  });
  AtMost batches(timer, most_copies(bytes));
  trial.work({.bytes = static_cast<double>(bytes)});
  trial.time(batches);
  verify(trial, pair, [&] { timer.enqueue_one(); });
}

void copy_pageable(Trial& trial, Direction direction) {
  const std::uint64_t bytes = bytes_of(trial.parameter("size"));
  Pair<std::vector<float>> pair(trial, bytes, direction);
  const cuda::Stream stream;
  trial.work({.bytes = static_cast<double>(bytes)});
  trial.time([&](std::int64_t copies) {
    for (std::int64_t i = 0; i < copies; ++i) pair.enqueue(stream.get());
    // Small copies to the device may still be in flight when the call returns.
    stream.synchronize();
  });
  verify(trial, pair, [&] { pair.enqueue(stream.get()); });
}

}  // namespace gpugauge::bench::copy
