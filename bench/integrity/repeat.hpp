// Repeating an operation for the window, and the metric that says how often.
#pragma once

#include <functional>

#include "support/cuda/device.hpp"
#include "support/cuda/environment.hpp"
#include "support/cuda/resources.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::integrity {

/// How long an operation is repeated: the variant of its id, its share of the profile's window, and whether a
/// time of sustained load is its own (Definition::sustained).
struct Time {
  const char* variant;
  double window_share;
  bool sustained;
};
inline constexpr Time short_time{"short", 2.5, false};
inline constexpr Time long_time{"long", 45, true};

/// Calls `once` for the trial's window, three times at least. Adds the metric "repeats", which is recorded
/// and not judged: what is judged are the verifications. Throws Interrupted.
void repeat_for_window(Trial& trial, const std::function<void()>& once);

}  // namespace gpugauge::bench::integrity
