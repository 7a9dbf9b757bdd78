#include "kernels/memory/bulk_copy.hpp"
#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "memory/arrays.hpp"
#include "support/cuda/comparison.hpp"

namespace gpugauge::bench::memory {
namespace {

using Copy = cudaError_t (*)(const float* from, float* to, std::size_t count, cudaStream_t stream);

void measure(Trial& trial, Copy copy) {
  const std::size_t count = array_elements(trial, 2);
  const cuda::DeviceBuffer<float> from(count);
  const cuda::DeviceBuffer<float> to(count);
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(copy(from.get(), to.get(), count, stream), "launching the copy kernel");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(from.get(), count, first_seed(trial), stream), "filling the source");
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the target");
  trial.work({.bytes = 2.0 * static_cast<double>(from.bytes())});
  trial.time(timer);

  const cuda::DeviceComparison found;
  cuda::check(kernels::memory::count_copy_mismatches(to.get(), count, first_seed(trial), found.get(), stream),
              "comparing the target with the generator");
  cuda::verify(trial, "elements that differ from the generator's", found, stream);
}

constexpr const char* bad_value =
    "a memory clock below its maximum, ECC or row-remapping trouble, another process on the GPU, a MIG slice";

const Registration by_registers{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("cold")
        .isolates("Copying within device memory by 16-byte loads and stores of every SM, arrays far larger "
                  "than L2; bytes read and written both count")
        .bad_value(bad_value)
        .quantity(Quantity::bandwidth, "hbm")
        .saturating()
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::smoke)
        .body([](Trial& trial) { measure(trial, kernels::memory::copy); })};

const Registration by_bulk_copies{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("bulk")
        .isolates("The same copy by bulk copies (TMA) through shared memory, which no register passes: "
                  "compute capability 9.0 and later")
        .bad_value(bad_value)
        .quantity(Quantity::bandwidth, "hbm")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu(90)
        .from(Depth::deep)
        .body([](Trial& trial) { measure(trial, kernels::memory::bulk_copy); })};

}  // namespace
}  // namespace gpugauge::bench::memory
