#include "kernels/memory/bulk.hpp"
#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "memory/arrays.hpp"
#include "support/cuda/written.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::memory {
namespace {

constexpr float value = 0.625F;

using Write = cudaError_t (*)(float value, float* to, std::size_t count, cudaStream_t stream);

void measure(Trial& trial, Write write) {
  const std::size_t count = array_elements(trial, 1);
  const cuda::DeviceBuffer<float> to(count);
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(write(value, to.get(), count, stream), "launching the write kernel");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the target");
  const auto bytes = static_cast<double>(to.bytes());
  trial.work({.bytes = bytes});
  trial.time(timer);

  add_metric(trial, "bandwidth", "byte/second", "hbm", "median",
             bytes / seconds_per_operation(trial.batches(), Statistic::median),
             "L2 may hold the last lines back and compress equal ones, so that more than the memory's own "
             "bandwidth shows: read, copy and triad are judged");

  const cuda::DeviceComparison found;
  const auto compare = [&](const char* method) {
    cuda::check(kernels::memory::count_write_mismatches(to.get(), count, value, found.get(), stream),
                "comparing the target with the value");
    cuda::verify(trial, method, found, stream);
  };
  compare("elements that differ from the value written");
  cuda::into_poison(timer, to);
  compare("the same after one more launch into poisoned memory");
}

Definition writing(Definition definition, const char* variant, const std::string& how) {
  return definition.variant(variant)
      .isolates("Writing one value to an array far larger than L2, " + how +
                "; recorded beside read and copy, never judged alone")
      .bad_value("a memory clock below its maximum, ECC trouble, another process on the GPU, a MIG slice")
      .custom_metrics({"hbm"})
      .batch_seconds(5e-3)
      .from(Depth::deep);
}

const Registration cold{
    writing(define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP), "cold", "by 16-byte stores of every SM")
        .requires_gpu()
        .body([](Trial& trial) { measure(trial, kernels::memory::write); })};

const Registration bulk{
    writing(define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP), "bulk",
            "by bulk copies (TMA) from shared memory, on compute capability 9.0 and later")
        .requires_gpu(90)
        .body([](Trial& trial) { measure(trial, kernels::memory::bulk_write); })};

}  // namespace
}  // namespace gpugauge::bench::memory
