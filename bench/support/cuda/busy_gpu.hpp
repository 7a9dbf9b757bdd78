// Keeps the GPU busy to read and to raise its SM clock, where the measured work leaves it almost idle.
#pragma once

#include <cstdint>
#include <functional>

#include "support/timer.hpp"

namespace gpugauge::bench::cuda {

/// Keeps the GPU busy for `milliseconds`, 1 to 10, and waits. Returns how long it took and the mean SM clock,
/// 0 = unknown.
using Spin = std::function<BatchTime(std::int64_t milliseconds)>;

/// Returns a Spin that occupies one SM on a stream of its own. Loads its kernels. Both throw OutOfMemory or
/// CudaError. Where kernels do not run, the clock is unknown and the benchmark itself reports the fault.
Spin spin_of_gpu();

}  // namespace gpugauge::bench::cuda
