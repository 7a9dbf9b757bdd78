// Runs one operation for a minute or more, and adds the metrics of its course.
#pragma once

#include "support/cuda/gpu_timer.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::sustained {

/// Share of the profile's window: 60 s where others have 0.2 s. --gpugauge_sustained sets another time.
inline constexpr double windows = 300;

/// Runs the timer's operation for the trial's window, at least 3 s. Batches last about 20 ms, or a 30,000th
/// of the window where that is longer. Warming up until throughput and clock are steady, and calibrating,
/// come first: at most one second each. The GPU starts as warm as the work before left it. `work` is what one
/// operation does, in `unit`. Adds the judged metrics mean, slowest_second and last_over_first, which are of
/// the GPU's time. Records spread, the mean of the wall time (bandwidth_mean for "byte/second", else
/// throughput_mean), longest_pause, sm_clock_first_second and sm_clock_last_second, and notes the course
/// second by second. Throws Interrupted.
void endure(Trial& trial, cuda::GpuTimer& timer, double work, const char* unit, const char* metric_class);

}  // namespace gpugauge::bench::sustained
