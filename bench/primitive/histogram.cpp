#include "kernels/primitive/histogram.hpp"

#include "kernels/support/fill.hpp"
#include "primitive/arrays.hpp"
#include "support/cuda/array_checks.hpp"
#include "support/cuda/written.hpp"

namespace gpugauge::bench::primitive {
namespace {

void histogram(Trial& trial) {
  const std::size_t count = array_elements(trial, 1);
  const cuda::DeviceBuffer<float> data(count);
  const cuda::DeviceBuffer<std::uint32_t> bins(kernels::primitive::histogram_bins);
  cuda::GpuTimer timer(trial,
                       [&](cudaStream_t stream, std::int64_t) {
                         cuda::check(kernels::primitive::histogram(data.get(), count, bins.get(), stream),
                                     "launching the histogram");
                       },
                       {.launches_per_operation = 2});
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(data.get(), count, trial.data_seed(), stream), "filling the array");
  trial.work({.bytes = static_cast<double>(data.bytes()), .items = static_cast<double>(count)});
  trial.time(timer);

  cuda::into_poison(timer, bins);  // the current values may be left from warming up
  cuda::verify_histogram(trial, bins, count, stream);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("256_bins")
        .isolates(
            "Counting fp32 values into 256 even bins: device memory read once, atomic additions to shared "
            "memory where lanes of one warp collide at random")
        .bad_value(bad_value)
        .quantity(Quantity::bandwidth, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body(histogram)};

}  // namespace
}  // namespace gpugauge::bench::primitive
