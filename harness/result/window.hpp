// How long one benchmark is measured in one process. The family measures by this rule, and the command plans
// with it.
#pragma once

#include <algorithm>

namespace gpugauge::result {

/// Fewest batches of a window, however long one takes.
inline constexpr int fewest_batches = 20;

/// What a benchmark says about its window.
struct WindowWanted {
  double share = 1;         ///< factor on the profile's window, above 0
  bool sustained = false;   ///< a longer measurement shows more
  bool smoke_mean = false;  ///< it forms a mean, and the profile smoke measures it
};

/// What a profile gives, in seconds.
struct WindowGiven {
  double seconds = 1;            ///< for each benchmark, above 0
  double mean_seconds = 0;       ///< lower bound for a smoke_mean, so that each class keeps one judged mean
  double sustained_seconds = 0;  ///< for each sustained benchmark, in place of its share; 0 = its share
};

/// The window in seconds. A share of a window of a second or more is not cut below one second, because a
/// shorter mean would not be judged. fewest_batches may take longer.
inline double window_seconds(const WindowWanted& wanted, const WindowGiven& given) {
  if (wanted.sustained && given.sustained_seconds > 0) return given.sustained_seconds;
  double window = given.seconds * wanted.share;
  if (given.seconds >= 1) window = std::max(window, 1.0);
  return wanted.smoke_mean ? std::max(window, given.mean_seconds) : window;
}

}  // namespace gpugauge::result
