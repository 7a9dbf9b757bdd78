#include "kernels/primitive/scan.hpp"

#include "kernels/support/fill.hpp"
#include "primitive/arrays.hpp"
#include "support/cuda/written.hpp"

namespace gpugauge::bench::primitive {
namespace {

void scan(Trial& trial) {
  const std::size_t count = array_elements(trial, 2);
  const cuda::DeviceBuffer<std::uint32_t> from(count);
  const cuda::DeviceBuffer<std::uint32_t> to(count);
  const cuda::DeviceBuffer<unsigned long long> scratch(kernels::primitive::scan_scratch(count));
  cuda::GpuTimer timer(
      trial,
      [&](cudaStream_t stream, std::int64_t) {
        cuda::check(kernels::primitive::exclusive_scan(from.get(), to.get(), count, scratch.get(), stream),
                    "launching the scan");
      },
      {.launches_per_operation = 2});
  const cudaStream_t stream = timer.stream();
  // The bits of uniform floats: any words will do, because sums are modulo 2^32.
  cuda::check(kernels::fill_uniform(reinterpret_cast<float*>(from.get()), count, trial.data_seed(), stream),
              "filling the array");
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the output");
  trial.work({.bytes = 2.0 * static_cast<double>(from.bytes()), .items = static_cast<double>(count)});
  trial.time(timer);

  const cuda::DeviceComparison found;
  const auto compare = [&](const char* method) {
    cuda::check(kernels::primitive::count_scan_mismatches(from.get(), to.get(), count, found.get(), stream),
                "checking the prefix sums");
    cuda::verify(trial, method, found, stream);
  };
  compare("places where the output is no exclusive prefix sum of the input");
  cuda::into_poison(timer, to);
  compare("the same after one more launch into poisoned memory");
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("exclusive")
        .isolates(
            "The exclusive prefix sum of 32-bit integers in one pass (decoupled look-back) over an array far "
            "larger than L2: streaming, and blocks that wait for the sums of earlier ones")
        .bad_value(bad_value)
        .quantity(Quantity::bandwidth, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body(scan)};

}  // namespace
}  // namespace gpugauge::bench::primitive
