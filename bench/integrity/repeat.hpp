// Repeats an operation for the window, and adds the metric that counts the repeats.
#pragma once

#include <functional>

#include "support/cuda/device.hpp"
#include "support/cuda/environment.hpp"
#include "support/cuda/resources.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::integrity {

/// How long an operation is repeated: the variant in its id, its share of the profile's window, and whether
/// it has its own sustained time (Definition::sustained).
struct Time {
  const char* variant;
  double window_share;
  bool sustained;
};
inline constexpr Time short_time{"short", 2.5, false};
inline constexpr Time long_time{"long", 45, true};

/// Calls `once` for the trial's window, at least three times. Adds the metric "repeats", which is recorded
/// and not judged, because the verifications are judged. Throws Interrupted.
void repeat_for_window(Trial& trial, const std::function<void()>& once);

}  // namespace gpugauge::bench::integrity
