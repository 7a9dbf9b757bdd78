#include <cub/device/device_scan.cuh>

#include "cub/algorithm.hpp"
#include "kernels/primitive/scan.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"

namespace gpugauge::bench::cub_library {
namespace {

void scan(Trial& trial) {
  const bool inclusive = trial.parameter("kind") == "inclusive";
  const std::size_t count = array_elements<std::uint32_t>();
  const std::uint32_t* in = nullptr;
  std::uint32_t* out = nullptr;
  Algorithm algorithm(trial, 2 * count * sizeof(std::uint32_t),
                      [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
                        const int items = static_cast<int>(count);
                        return inclusive
                                   ? cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, items, stream)
                                   : cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, items, stream);
                      });
  const cuda::DeviceBuffer<std::uint32_t> from(count);
  const cuda::DeviceBuffer<std::uint32_t> to(count);
  in = from.get();
  out = to.get();
  cuda::GpuTimer timer = algorithm.timer(trial, 2);
  const cudaStream_t stream = timer.stream();
  // The bits of uniform floats: any words will do, because sums are modulo 2^32.
  cuda::check(kernels::fill_uniform(reinterpret_cast<float*>(from.get()), count, trial.data_seed(), stream),
              "filling the array");
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the output");
  trial.work({.bytes = 2.0 * static_cast<double>(from.bytes()), .items = static_cast<double>(count)});
  trial.time(timer);

  const auto verify = [&](const std::string& when) {
    const cuda::DeviceComparison found;
    cuda::check(inclusive
                    ? kernels::primitive::count_inclusive_scan_mismatches(in, out, count, found.get(), stream)
                    : kernels::primitive::count_scan_mismatches(in, out, count, found.get(), stream),
                "checking the prefix sums");
    cuda::verify(trial, "places where the output is no prefix sum of the input" + when, found, stream);
  };
  verify("");
  algorithm.run_into_poison(stream, to);
  verify(once_more);
  algorithm.note_kernels(trial, stream);
}

const Registration registered{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                                  .isolates("CUB's prefix sum of 32-bit integers in one pass over an array "
                                            "far larger than L2; bytes read and "
                                            "written both count")
                                  .bad_value(bad_value)
                                  .axis("kind", {"exclusive", "inclusive"})
                                  .quantity(Quantity::bandwidth, "primitive")
                                  .statistics({Statistic::median, Statistic::mean})
                                  .batch_seconds(5e-3)
                                  .requires_gpu()
                                  .from(Depth::deep)
                                  .body(scan)};

}  // namespace
}  // namespace gpugauge::bench::cub_library
