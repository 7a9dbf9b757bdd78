// Operations timed in one window, batch by batch in turns, so that all run at the same clock and power state.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "support/measure.hpp"

namespace gpugauge::bench {

/// Seconds per operation, one entry per batch; both have the same number of entries.
struct Turns {
  std::vector<double> first;   ///< seconds of the first operation
  std::vector<double> second;  ///< seconds of the second operation
};

/// Calls `timed(index)` for 0 to `count` - 1 in turns until has_ended(window, ...). Each call times one batch
/// of its operation and returns the seconds per operation. One turn of all counts as one batch. `now` reads
/// wall time in seconds. Returns the seconds of each operation, equally many for all. Throws what `timed`
/// throws.
template <typename Timed>
std::vector<std::vector<double>> take_turns_of(std::size_t count, const Window& window, const Timed& timed,
                                               const std::function<double()>& now = steady_seconds) {
  std::vector<std::vector<double>> seconds(count);
  const double start = now();
  int turns = 0;
  do {
    for (std::size_t index = 0; index < count; ++index) seconds[index].push_back(timed(index));
  } while (!has_ended(window, now() - start, ++turns));
  return seconds;
}

/// take_turns_of() for two operations.
template <typename First, typename Second>
Turns take_turns(const Window& window, const First& first, const Second& second,
                 const std::function<double()>& now = steady_seconds) {
  std::vector<std::vector<double>> seconds = take_turns_of(
      2, window, [&](std::size_t index) { return index == 0 ? first() : second(); }, now);
  return {std::move(seconds[0]), std::move(seconds[1])};
}

}  // namespace gpugauge::bench
