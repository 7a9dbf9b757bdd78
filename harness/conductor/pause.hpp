// Waiting that a signal may end.
#pragma once

#include <functional>

namespace gpugauge::conductor {

/// Waits, and returns false when SIGINT, SIGTERM or SIGHUP asked the command to stop meanwhile. `progress` is
/// called about once a second with the seconds that are left.
bool pause(double seconds, const std::function<void(double left)>& progress);

}  // namespace gpugauge::conductor
