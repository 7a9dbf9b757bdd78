// A pause that a signal may end.
#pragma once

#include <functional>

namespace gpugauge::conductor {

/// Waits; returns false when SIGINT, SIGTERM or SIGHUP arrives meanwhile. Calls `progress` about once per
/// second with the seconds left.
bool pause(double seconds, const std::function<void(double left)>& progress);

}  // namespace gpugauge::conductor
