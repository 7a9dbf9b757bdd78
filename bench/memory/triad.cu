#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "memory/arrays.hpp"
#include "support/cuda/comparison.hpp"

namespace gpugauge::bench::memory {
namespace {

constexpr float factor = 0.75F;

void triad(Trial& trial) {
  const std::size_t count = array_elements(trial, 3);
  const cuda::DeviceBuffer<float> a(count);
  const cuda::DeviceBuffer<float> b(count);
  const cuda::DeviceBuffer<float> c(count);
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::memory::triad(b.get(), c.get(), factor, a.get(), count, stream),
                "launching the triad kernel");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(b.get(), count, first_seed(trial), stream), "filling an input");
  cuda::check(kernels::fill_uniform(c.get(), count, second_seed(trial), stream), "filling an input");
  cuda::check(kernels::poison(a.get(), a.bytes(), stream), "poisoning the output");
  trial.work({.bytes = 3.0 * static_cast<double>(a.bytes()), .flops = 2.0 * static_cast<double>(count)});
  trial.time(timer);

  const cuda::DeviceComparison found;
  cuda::check(kernels::memory::count_triad_mismatches(a.get(), count, first_seed(trial), second_seed(trial),
                                                      factor, found.get(), stream),
              "comparing the output with the generator");
  cuda::verify(trial, "elements that differ from the generator's", found, stream);
}

const Registration registered{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                                  .variant("cold")
                                  .isolates("STREAM triad in device memory: two arrays read, one written, "
                                            "one multiplication and addition for "
                                            "each element, arrays far larger than L2")
                                  .bad_value("a memory clock below its maximum, ECC or row-remapping "
                                             "trouble, another process on the GPU, a MIG slice")
                                  .quantity(Quantity::bandwidth, "hbm")
                                  .saturating()
                                  .statistics({Statistic::median, Statistic::mean})
                                  .batch_seconds(5e-3)
                                  .requires_gpu()
                                  .body(triad)};

}  // namespace
}  // namespace gpugauge::bench::memory
