#include <cmath>
#include <cstring>
#include <vector>

#include <cub/device/device_reduce.cuh>

#include "cub/algorithm.hpp"
#include "kernels/primitive/reduce.hpp"
#include "kernels/support/fill.hpp"

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

  const cuda::DeviceValue<double> reference;
  const cuda::DeviceValue<double> magnitude;
  cuda::check(
      kernels::primitive::reduce_reference(data.get(), count, reference.get(), magnitude.get(), stream),
      "summing in fp64");
  const double expected = reference.read(stream);
  // CUB does not say how deep its sums are; a loose multiple of what a grid that fills the GPU needs.
  trial.verify("error of the sum against fp64, relative to the sum of magnitudes",
               std::fabs(static_cast<double>(sum.read(stream)) - expected) / magnitude.read(stream),
               4 * kernels::primitive::reduce_tolerance(count, cuda::device().sm_count));
  // CUB promises the same bits from run to run on one GPU for a pseudo-associative sum.
  std::vector<std::uint64_t> checksums;
  for (int repeat = 0; repeat < 4; ++repeat) {
    const float value = sum.read(stream);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    checksums.push_back(bits);
    cuda::check(kernels::poison(sum.get(), sizeof(float), stream), "poisoning the sum");
    algorithm.run(stream);
  }
  trial.verify_deterministic(checksums);
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
