// Calibration and the time window: turns a timer into batches. Independent of Google Benchmark.
#pragma once

#include <cstdint>
#include <functional>

#include "result/samples.hpp"
#include "result/window.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench {

/// How long to measure.
struct Window {
  double batch_seconds = 2e-3;  ///< a batch is calibrated to last this long
  double seconds = 1;           ///< batches run back to back until this wall time has passed ...
  int minimum_batches = result::fewest_batches;  ///< ... and there are this many,
  int maximum_batches = 20'000;                  ///< but never more than this,
  /// and never longer than this in seconds. Two exceptions: fewest_to_judge batches may take four times as
  /// long, and one batch is always measured. Calibration takes at most as long again, or one batch where that
  /// is longer.
  double budget_seconds = 3;
};

/// Whether a window has ended after `count` batches, 1 or more, in `seconds`.
bool has_ended(const Window& window, double seconds, int count);

/// Thrown between batches when the process was asked to end.
struct Interrupted {};

/// Number of operations that last about batch_seconds, 1 or more. Throws Interrupted.
std::int64_t calibrate(Timer& timer, double batch_seconds, double deadline,
                       const std::function<double()>& now);

/// Warms up, calibrates one batch, then times batches back to back until has_ended(), with nothing between
/// them. Values keep 7 significant digits. `now` reads wall time in seconds. Throws Interrupted. Throws
/// std::runtime_error when the timer reports a time that is not finite and > 0.
result::Batches measure(Timer& timer, const Window& window,
                        const std::function<double()>& now = steady_seconds);

}  // namespace gpugauge::bench
