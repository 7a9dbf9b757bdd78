#include <cub/device/device_histogram.cuh>

#include "cub/algorithm.hpp"
#include "kernels/primitive/histogram.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/array_checks.hpp"

namespace gpugauge::bench::cub_library {
namespace {

void histogram(Trial& trial) {
  const std::size_t count = array_elements<float>();
  const float* from = nullptr;
  const cuda::DeviceBuffer<std::uint32_t> bins(kernels::primitive::histogram_bins);
  Algorithm algorithm(
      trial, count * sizeof(float), [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceHistogram::HistogramEven(temporary, bytes, from, bins.get(),
                                                   kernels::primitive::histogram_bins + 1, -1.0F, 1.0F,
                                                   static_cast<int>(count), stream);
      });
  const cuda::DeviceBuffer<float> data(count);
  from = data.get();
  cuda::GpuTimer timer = algorithm.timer(trial, 2);
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(data.get(), count, trial.data_seed(), stream), "filling the array");
  cuda::check(kernels::poison(bins.get(), bins.bytes(), stream), "poisoning the bins");
  trial.work({.bytes = static_cast<double>(data.bytes()), .items = static_cast<double>(count)});
  trial.time(timer);

  cuda::verify_histogram(trial, bins, count, stream);
  algorithm.run_into_poison(stream, bins);
  cuda::verify_histogram(trial, bins, count, stream);
  algorithm.note_kernels(trial, stream);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "CUB's histogram of fp32 values over 256 even bins: device memory read once, atomic additions to "
            "shared memory")
        .bad_value(bad_value)
        .quantity(Quantity::bandwidth, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body(histogram)};

}  // namespace
}  // namespace gpugauge::bench::cub_library
