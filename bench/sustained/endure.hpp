// Running one operation for a minute and more, and what is told of it.
#pragma once

#include "support/cuda/gpu_timer.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::sustained {

/// Share of the profile's window: 60 s where the others have a fifth of a second. --gpugauge_sustained gives
/// another time.
inline constexpr double windows = 300;

/// Runs the timer's operation for the trial's window, never less than 3 s, in batches of about 20 ms, or of a
/// 30,000th of the window where that is longer.
/// Warming up until throughput and clock are steady and calibrating come before, a second each at most; how
/// warm the GPU is when they begin is what ran before left of it. `work` is what one operation does, in
/// `unit`. Adds the metrics mean, slowest_second and last_over_first, which are judged, and spread,
/// sm_clock_first_second and sm_clock_last_second, which are recorded; the course second by second as notes.
/// Throws Interrupted.
void endure(Trial& trial, cuda::GpuTimer& timer, double work, const char* unit, const char* metric_class);

}  // namespace gpugauge::bench::sustained
