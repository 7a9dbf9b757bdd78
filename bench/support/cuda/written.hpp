// Checks that an operation writes all of its output. The timed output cannot show it: it may be left over
// from warming up. Poison that a kernel never overwrites repeats bit for bit. Sampled rows may not hold it.
#pragma once

#include "kernels/support/fill.hpp"
#include "kernels/support/finite.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/gpu_timer.hpp"

namespace gpugauge::bench::cuda {

/// Poisons `output` on the timer's stream and enqueues one more operation there.
template <typename Output>
void into_poison(GpuTimer& timer, const Output& output) {
  check(kernels::poison(output.get(), output.bytes(), timer.stream()), "poisoning the output");
  timer.enqueue_one();
}

/// Calls into_poison, then counts elements of `output` that are not finite, which any remaining poison is.
/// Waits for the GPU.
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
