// How far two timing events are off that were recorded around work of known duration. Pure.
#pragma once

#include <algorithm>
#include <cmath>

namespace gpugauge::bench::launch {

/// The relative error of what the events show, `shown` seconds, around work of `known` seconds. `waits`:
/// launches wait for earlier work (cuda::Queue::synchronous). The host's time to launch and to wake then lies
/// between the events, and only less than `known` is an error.
inline double bracket_error(double shown, double known, bool waits) {
  const double longer = shown / known - 1;
  return waits ? std::max(-longer, 0.0) : std::fabs(longer);
}

}  // namespace gpugauge::bench::launch
