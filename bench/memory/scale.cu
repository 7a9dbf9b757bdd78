#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "memory/arrays.hpp"
#include "support/cuda/comparison.hpp"

namespace gpugauge::bench::memory {
namespace {

constexpr float factor = 0.75F;

void scale(Trial& trial) {
  const std::size_t count = array_elements(trial, 2);
  const cuda::DeviceBuffer<float> from(count);
  const cuda::DeviceBuffer<float> to(count);
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::memory::scale(from.get(), factor, to.get(), count, stream),
                "launching the scale kernel");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(from.get(), count, first_seed(trial), stream), "filling the source");
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the target");
  trial.work({.bytes = 2.0 * static_cast<double>(from.bytes()), .flops = static_cast<double>(count)});
  trial.time(timer);

  const cuda::DeviceComparison found;
  cuda::check(kernels::memory::count_scale_mismatches(to.get(), count, first_seed(trial), factor, found.get(),
                                                      stream),
              "comparing the target with the generator");
  cuda::verify(trial, "elements that differ from the generator's", found, stream);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("cold")
        .isolates("STREAM scale in device memory: one array read, one written, one multiplication for each "
                  "element, arrays far larger than L2")
        .bad_value("a memory clock below its maximum, ECC or row-remapping trouble, another process on the "
                   "GPU, a MIG slice")
        .quantity(Quantity::bandwidth, "hbm")
        .saturating()
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body(scale)};

}  // namespace
}  // namespace gpugauge::bench::memory
