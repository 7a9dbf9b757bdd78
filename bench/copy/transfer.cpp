#include "copy/transfer.hpp"

namespace gpugauge::bench::copy {

void copy_by_engine(Trial& trial, Direction direction) {
  const std::uint64_t bytes = bytes_of(trial.parameter("size"));
  Pair<cuda::PinnedBuffer<float>> pair(trial, bytes, direction);
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) { pair.enqueue(stream); });
  AtMost batches(timer, most_copies(bytes));
  trial.work({.bytes = static_cast<double>(bytes)});
  trial.time(batches);
  pair.verify(trial);
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
  pair.verify(trial);
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
  pair.verify(trial);
}

}  // namespace gpugauge::bench::copy
