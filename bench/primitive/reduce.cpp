#include "kernels/primitive/reduce.hpp"

#include "kernels/support/fill.hpp"
#include "primitive/arrays.hpp"
#include "support/cuda/array_checks.hpp"

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

  cuda::verify_sum(trial, data.get(), count, sum, 1, launch, stream);
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
