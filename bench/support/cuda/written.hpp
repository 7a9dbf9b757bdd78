// Does an operation write all of its output? Of what was timed that cannot be seen: it may be left from
// warming up, poison that a kernel never overwrites repeats bit for bit, and rows that are sampled may not
// hold it.
#pragma once

#include "kernels/support/fill.hpp"
#include "kernels/support/finite.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/gpu_timer.hpp"

namespace gpugauge::bench::cuda {

/// Poisons `output` on the timer's stream and enqueues one more of its operations there.
template <typename Output>
void into_poison(GpuTimer& timer, const Output& output) {
  check(kernels::poison(output.get(), output.bytes(), timer.stream()), "poisoning the output");
  timer.enqueue_one();
}

/// into_poison, and then how many elements of `output` are not finite, as those still poison are. Waits for
/// the GPU.
/// @pre the timer's next operation writes `output`
template <typename T>
kernels::Comparison not_finite_once_more(GpuTimer& timer, const DeviceBuffer<T>& output) {
  const DeviceComparison found;
  into_poison(timer, output);
  check(kernels::count_not_finite(output.get(), output.count(), found.get(), timer.stream()),
        "looking for what was not written");
  return found.read(timer.stream());
}

}  // namespace gpugauge::bench::cuda
