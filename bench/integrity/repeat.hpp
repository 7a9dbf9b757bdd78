// Repeating an operation for the window, and the metric that says how often.
#pragma once

#include <functional>

#include "support/cuda/device.hpp"
#include "support/cuda/environment.hpp"
#include "support/cuda/resources.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::integrity {

/// Calls `once` for the window (axis "time": short) or ten times as long (long), three times at least. Adds
/// the metric "repeats", which is recorded and not judged: what is judged are the verifications. Throws
/// Interrupted.
void repeat_for_window(Trial& trial, const std::function<void()>& once);

}  // namespace gpugauge::bench::integrity
