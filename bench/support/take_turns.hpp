// Two operations timed in one window, batch by batch in turns: both see one clock and one power state.
#pragma once

#include <functional>
#include <vector>

#include "support/measure.hpp"

namespace gpugauge::bench {

/// Seconds per operation, a batch each; as many of one as of the other.
struct Turns {
  std::vector<double> first;   ///< of the one that begins
  std::vector<double> second;  ///< of the other one
};

/// Calls `first` and `second`, each of which times one batch of its operation and returns the seconds per
/// operation, in turns until has_ended(window, ...), where a batch of both counts as one. `now` reads wall
/// time in seconds. Throws what they throw.
template <typename First, typename Second>
Turns take_turns(const Window& window, const First& first, const Second& second,
                 const std::function<double()>& now = steady_seconds) {
  Turns turns;
  const double start = now();
  do {
    turns.first.push_back(first());
    turns.second.push_back(second());
  } while (!has_ended(window, now() - start, static_cast<int>(turns.first.size())));
  return turns;
}

}  // namespace gpugauge::bench
