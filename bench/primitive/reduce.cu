#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/primitive/reduce.hpp"
#include "kernels/support/fill.hpp"
#include "primitive/arrays.hpp"

namespace gpugauge::bench::primitive {
namespace {

void reduce(Trial& trial) {
  const std::size_t count = array_elements(trial, 1);
  const int sm_count = cuda::device().sm_count;
  const cuda::DeviceBuffer<float> data(count);
  const cuda::DeviceBuffer<float> partials(kernels::primitive::reduce_partials(sm_count));
  const cuda::DeviceValue<unsigned> finished;
  const cuda::DeviceValue<float> sum;
  const auto launch = [&](cudaStream_t stream) {
    cuda::check(
        kernels::primitive::reduce(data.get(), count, partials.get(), finished.get(), sum.get(), stream),
        "launching the reduction");
  };
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) { launch(stream); });
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
  trial.verify("error of the sum against fp64, relative to the sum of magnitudes",
               std::fabs(static_cast<double>(sum.read(stream)) - expected) / magnitude.read(stream),
               kernels::primitive::reduce_tolerance(count, sm_count));
  std::vector<std::uint64_t> checksums;
  for (int repeat = 0; repeat < 4; ++repeat) {
    const float value = sum.read(stream);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    checksums.push_back(bits);
    cuda::check(kernels::poison(sum.get(), sizeof(float), stream), "poisoning the sum");
    launch(stream);
  }
  trial.verify_deterministic(checksums);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "The sum of an fp32 array far larger than L2 in one kernel: every element read once, the block "
            "that finishes last adds up the blocks' sums")
        .bad_value(bad_value)
        .quantity(Quantity::bandwidth, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .deterministic()
        .from(Depth::deep)
        .body(reduce)};

}  // namespace
}  // namespace gpugauge::bench::primitive
