// Running one operation for a minute and more, and what is told of it.
#pragma once

#include "support/cuda/gpu_timer.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::sustained {

/// Runs the timer's operation for 60 windows of the profile (60 s with a window of 1 s, ten minutes with 10
/// s; never less than 3 s), in batches of about 20 ms. Starts cold: nothing but the first launch comes
/// before. `work` is what one operation does, in `unit`. Adds the metrics mean, slowest_second and
/// last_over_first, which are judged, and spread, sm_clock_first_second and sm_clock_last_second, which are
/// recorded; the course second by second as notes. Throws Interrupted.
void endure(Trial& trial, cuda::GpuTimer& timer, double work, const char* unit, const char* metric_class);

}  // namespace gpugauge::bench::sustained
