#include <string>
#include <vector>

#include "kernels/gemm/fastest_bf16.hpp"
#include "kernels/gemm/reference.hpp"
#include "kernels/gemm/tiling.hpp"
#include "kernels/gemm/work.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/room.hpp"
#include "sustained/endure.hpp"

namespace gpugauge::bench::sustained {
namespace {

using kernels::Bf16;

constexpr int edge = 8192;
constexpr std::size_t elements = std::size_t{edge} * edge;

void gemm(Trial& trial) {
  const int capability = cuda::device().compute_capability;
  trial.note("kernel", kernels::gemm::fastest_bf16_name(capability));
  if (!kernels::gemm::fastest_bf16_is_full_load(capability)) trial.note("load", kernels::gemm::not_full_load);
  cuda::require_room(trial, 3 * elements * sizeof(Bf16));
  const cuda::DeviceBuffer<Bf16> a(elements);
  const cuda::DeviceBuffer<Bf16> b(elements);
  const cuda::DeviceBuffer<Bf16> c(elements);
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::gemm::fastest_bf16(capability, a.get(), b.get(), c.get(), edge, edge, edge, stream),
                "launching the matrix product");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(a.get(), elements, trial.data_seed(), stream), "filling A");
  cuda::check(kernels::fill_uniform(b.get(), elements, trial.data_seed() + 1, stream), "filling B");
  const cuda::DeviceValue<unsigned long long> sum;
  std::vector<std::uint64_t> checksums;
  const auto add_checksum = [&] {
    cuda::check(kernels::checksum(c.get(), c.bytes(), sum.get(), stream), "summing C");
    checksums.push_back(sum.read(stream));
  };
  const double flops = kernels::gemm::flops(edge, edge, edge);
  trial.work({.flops = flops});
  cuda::check(kernels::poison(c.get(), c.bytes(), stream), "poisoning C");
  endure(trial, timer, flops, "flop/second", "gemm16");
  add_checksum();
  const cuda::DeviceComparison error;
  const auto samples = static_cast<int>(kernels::gemm::samples_for(edge));
  cuda::check(kernels::gemm::sampled_error(a.get(), b.get(), c.get(), edge, edge, edge, samples,
                                           trial.data_seed(), error.get(), stream),
              "comparing C with fp64");
  cuda::verify(trial,
               "largest error over " + std::to_string(samples) + " rows against fp64, relative to the norms",
               error, stream, kernels::gemm::tolerance_bf16_mma(edge));
  // Twice more while hot from the last seconds: the bits must be the same.
  for (int repeat = 0; repeat < 2; ++repeat) {
    cuda::check(kernels::poison(c.get(), c.bytes(), stream), "poisoning C");
    timer.time_batch(1);
    add_checksum();
  }
  trial.verify_deterministic(checksums);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "The bf16 product 8192x8192x8192 on Tensor Cores for a minute: what heat, the power "
            "limit and time do to it (on 10.x and 11.0 by mma.sync, which is not the full load there). "
            "First against last second, the slowest second, spread, two modes, the longest pause, SM clock")
        .bad_value(
            "cooling, a power cap, a shared power budget of the node; two modes: clocks that jump between "
            "steps, or a neighbour that comes and goes")
        .window_share(windows)
        .sustained()
        .power_heavy()
        .custom_metrics({"gemm16"})
        .deterministic()
        .requires_gpu(80)
        .from(Depth::deep)
        .body(gemm)};

}  // namespace
}  // namespace gpugauge::bench::sustained
