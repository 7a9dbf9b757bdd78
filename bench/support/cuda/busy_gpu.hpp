// Keeping the GPU busy to see and to raise its SM clock, where what is measured leaves it almost idle.
#pragma once

#include <cstdint>
#include <functional>

#include "support/timer.hpp"

namespace gpugauge::bench::cuda {

/// Keeps the GPU busy for so many milliseconds, 1 or more and 10 at the most, and waits: how long it was and
/// the mean SM clock meanwhile, 0 = unknown.
using Spin = std::function<BatchTime(std::int64_t milliseconds)>;

/// One SM spins, on a stream of its own that the result keeps. Loads the kernels. It and the result throw
/// OutOfMemory or CudaError. Where kernels do not run the clock is unknown: what is measured finds that out.
Spin spin_of_gpu();

}  // namespace gpugauge::bench::cuda
