#include <cub/device/device_reduce.cuh>

#include "cub/algorithm.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/array_checks.hpp"

namespace gpugauge::bench::cub_library {
namespace {

void reduce(Trial& trial) {
  const std::size_t count = array_elements<float>();
  const float* from = nullptr;
  const cuda::DeviceValue<float> sum;
  Algorithm algorithm(
      trial, count * sizeof(float), [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceReduce::Sum(temporary, bytes, from, sum.get(), static_cast<int>(count), stream);
      });
  const cuda::DeviceBuffer<float> data(count);
  from = data.get();
  cuda::GpuTimer timer = algorithm.timer(trial, 2);
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(data.get(), count, trial.data_seed(), stream), "filling the array");
  cuda::check(kernels::poison(sum.get(), sizeof(float), stream), "poisoning the sum");
  trial.work({.bytes = static_cast<double>(data.bytes()),
              .flops = static_cast<double>(count),
              .items = static_cast<double>(count)});
  trial.time(timer);

  // CUB does not document the depth of its sums. The tolerance is a loose multiple of what a grid that fills
  // the GPU needs. CUB promises the same bits from run to run on one GPU for a pseudo-associative sum.
  cuda::verify_sum(
      trial, data.get(), count, sum, 4, [&](cudaStream_t on) { algorithm.run(on); }, stream);
  algorithm.note_kernels(trial, stream);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("CUB's sum of an fp32 array far larger than L2: device memory read once")
        .bad_value(bad_value)
        .quantity(Quantity::bandwidth, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .deterministic()
        .from(Depth::quick)
        .body(reduce)};

}  // namespace
}  // namespace gpugauge::bench::cub_library
