// Calibration and the time window: from a timer to batches. Knows nothing of Google Benchmark.
#pragma once

#include <cstdint>
#include <functional>

#include "result/samples.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench {

/// How long to measure.
struct Window {
  double batch_seconds = 2e-3;   ///< a batch is calibrated to last this long
  double seconds = 1;            ///< batches are timed back to back until this much wall time has passed ...
  int minimum_batches = 20;      ///< ... and there are this many,
  int maximum_batches = 20'000;  ///< but never more than this,
  /// and never longer than this, but for fewest_to_judge batches, which may take four times as long. One
  /// batch at least. Calibration takes as long again at most, or one batch where that is longer.
  double budget_seconds = 3;
};

/// Whether a window in which `count` batches, 1 or more, took `seconds` has ended.
bool has_ended(const Window& window, double seconds, int count);

/// Thrown between batches when the process was asked to end.
struct Interrupted {};

/// Number of operations that last about batch_seconds, 1 or more. Throws Interrupted.
std::int64_t calibrate(Timer& timer, double batch_seconds, double deadline,
                       const std::function<double()>& now);

/// Warms up, calibrates one batch, then times batches until has_ended(), back to back with nothing else
/// between them. Values are kept with 7 significant digits. `now` reads wall time in seconds. Throws
/// Interrupted, std::runtime_error when the timer reports a time that is not finite and > 0.
result::Batches measure(Timer& timer, const Window& window,
                        const std::function<double()>& now = steady_seconds);

}  // namespace gpugauge::bench
