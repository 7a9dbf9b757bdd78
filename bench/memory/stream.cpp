#include "memory/stream.hpp"

#include <optional>

#include "kernels/support/fill.hpp"
#include "support/cuda/written.hpp"

namespace gpugauge::bench::memory {
namespace {

Definition streaming(Definition definition) {
  return definition
      .bad_value(
          "a memory clock below its maximum, ECC or row-remapping trouble, another process on the GPU, a MIG "
          "slice")
      .quantity(Quantity::bandwidth, "hbm")
      .statistics({Statistic::median, Statistic::mean})
      .batch_seconds(5e-3);
}

}  // namespace

Definition by_registers(Definition definition, const std::string& what) {
  return streaming(std::move(definition))
      .variant("cold")
      .isolates(
          what +
          " by 16-byte accesses of every SM; arrays far larger than L2, every byte read or written counts")
      .requires_gpu()
      .saturating();
}

Definition by_bulk_copies(Definition definition, const std::string& what) {
  return streaming(std::move(definition))
      .variant("bulk")
      .isolates(
          what +
          " by bulk copies (TMA) through shared memory, on compute capability 9.0 and later; arrays far "
          "larger than L2, every byte read or written counts")
      .requires_gpu(90)
      .window_share(0.5)
      .from(Depth::deep);
}

void measure(Trial& trial, const Stream& of) {
  const std::size_t count = array_elements(trial, static_cast<std::size_t>(of.inputs) + 1);
  const cuda::DeviceBuffer<float> a(count);
  const cuda::DeviceBuffer<float> b(count);
  std::optional<cuda::DeviceBuffer<float>> c;
  if (of.inputs == 2) c.emplace(count);
  const float* const second = c ? c->get() : nullptr;
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(of.run(b.get(), second, a.get(), count, stream), "launching the kernel");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(b.get(), count, first_seed(trial), stream), "filling an input");
  if (c) cuda::check(kernels::fill_uniform(c->get(), count, second_seed(trial), stream), "filling an input");
  cuda::check(kernels::poison(a.get(), a.bytes(), stream), "poisoning the output");
  trial.work({.bytes = (of.inputs + 1.0) * static_cast<double>(a.bytes()),
              .flops = of.flops_each * static_cast<double>(count)});
  trial.time(timer);

  const cuda::DeviceComparison found;
  const auto compare = [&](const char* method) {
    cuda::check(of.compare(a.get(), count, first_seed(trial), second_seed(trial), found.get(), stream),
                "comparing the output with the generator");
    cuda::verify(trial, method, found, stream);
  };
  compare("elements that differ from the generator's");
  cuda::into_poison(timer, a);
  compare("the same after one more launch into poisoned memory");
}

}  // namespace gpugauge::bench::memory
