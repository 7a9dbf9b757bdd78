#include "kernels/primitive/attention.hpp"

#include <algorithm>
#include <vector>

#include "kernels/support/fill.hpp"
#include "primitive/arrays.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"
#include "support/cuda/written.hpp"
#include "support/per_clock.hpp"

namespace gpugauge::bench::primitive {
namespace {

using kernels::Bf16;
using kernels::primitive::AttentionShape;

constexpr int heads = 32;

struct Tensors {
  Tensors(const AttentionShape& shape, std::uint64_t seed)
      : q(shape.elements()), k(shape.elements()), v(shape.elements()), o(shape.elements()) {
    cuda::check(kernels::fill_uniform(q.get(), q.count(), seed, nullptr), "filling Q");
    cuda::check(kernels::fill_uniform(k.get(), k.count(), seed + 1, nullptr), "filling K");
    cuda::check(kernels::fill_uniform(v.get(), v.count(), seed + 2, nullptr), "filling V");
    cuda::check(kernels::poison(o.get(), o.bytes(), nullptr), "poisoning O");
    cuda::check(cudaStreamSynchronize(nullptr), "filling the tensors");
  }
  cuda::DeviceBuffer<Bf16> q;
  cuda::DeviceBuffer<Bf16> k;
  cuda::DeviceBuffer<Bf16> v;
  cuda::DeviceBuffer<Bf16> o;
};

void attention(Trial& trial) {
  const AttentionShape shape{heads, static_cast<int>(trial.integer("length")),
                             static_cast<int>(trial.integer("head_dim")),
                             trial.parameter("mask") == "causal"};
  const auto set_bytes = static_cast<std::size_t>(kernels::primitive::attention_bytes(shape));
  const std::size_t sets = cuda::rotation_sets(set_bytes, cuda::device().l2_bytes);
  cuda::require_room(trial, sets * set_bytes);
  cuda::Rotation<Tensors> rotation(sets, shape, trial.data_seed());
  trial.note("buffer_sets", std::to_string(sets));
  trial.note("heads", std::to_string(heads));
  const auto launch = [&](Tensors& set, cudaStream_t stream) {
    cuda::check(
        kernels::primitive::attention(set.q.get(), set.k.get(), set.v.get(), set.o.get(), shape, stream),
        "launching attention");
  };
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t i) { launch(rotation[i], stream); });
  const result::Work work{.bytes = kernels::primitive::attention_bytes(shape),
                          .flops = kernels::primitive::attention_flops(shape)};
  trial.work(work);
  trial.time(timer);
  add_per_clock(trial, work, cuda::device().sm_count);

  // All sets hold the same inputs, so one error and one checksum are valid for all.
  const cudaStream_t stream = timer.stream();
  const cuda::DeviceValue<unsigned long long> sum;
  std::vector<std::uint64_t> checksums;
  const auto add_checksum = [&](Tensors& set) {
    cuda::check(kernels::checksum(set.o.get(), set.o.bytes(), sum.get(), stream), "summing O");
    checksums.push_back(sum.read(stream));
  };
  // Checksums of the timed results. A window that ended early may not have reached every set.
  const std::int64_t come_to = std::min(static_cast<std::int64_t>(sets), timer.operations());
  for (std::int64_t set = 0; set < come_to; ++set) add_checksum(rotation[set]);
  std::vector<kernels::Comparison> written;
  written.reserve(sets);
  for (std::size_t set = 0; set < sets; ++set) {
    Tensors& next = rotation[timer.operations()];
    written.push_back(cuda::not_finite_once_more(timer, next.o));
    add_checksum(next);
  }
  cuda::verify(trial, "elements that are not finite after once more into every poisoned O",
               cuda::together(written));
  Tensors& first = rotation[0];
  const int samples = std::min(shape.length, 256);
  const cuda::DeviceComparison error;
  cuda::check(kernels::primitive::attention_error(first.q.get(), first.k.get(), first.v.get(), first.o.get(),
                                                  shape, samples, trial.data_seed(), error.get(), stream),
              "comparing O with fp64");
  cuda::verify(trial,
               "largest error over " + std::to_string(samples) +
                   " rows against fp64, relative to the norm of the row's weights",
               error, stream, kernels::primitive::attention_tolerance);
  cuda::check(kernels::poison(first.o.get(), first.o.bytes(), stream), "poisoning O");
  launch(first, stream);
  add_checksum(first);
  trial.verify_deterministic(checksums);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("mma_sync")
        .isolates("Attention forward of 32 heads in one kernel, bf16 with fp32 sums, by mma.sync: two matrix "
                  "products and an exponential between them, which never leave the SM; on 9.0, 10.x and 11.0 "
                  "below what wgmma or tcgen05 reach")
        .bad_value("a low SM clock (power cap, heat, locked clocks), another process on the GPU, a MIG slice")
        .axis("head_dim", {"64", "128"})
        .axis("mask", {"full", "causal"})
        .axis("length", {"4096", "16384"})
        .quantity(Quantity::throughput, "attention")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(80)
        .deterministic()
        .from(Depth::deep)
        .body(attention)};

}  // namespace
}  // namespace gpugauge::bench::primitive
