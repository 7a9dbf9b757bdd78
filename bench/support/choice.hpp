// Choosing among the algorithms that a library offers for one operation. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

namespace gpugauge::bench {

/// Another candidate has to be this much faster than the library's own first choice: below it the choice
/// would follow noise.
inline constexpr double choice_margin = 0.01;

/// The fastest candidate, by its seconds; a candidate that could not run has none. The first that ran, which
/// is the library's own choice, unless another is faster by more than `margin` of its time. Throws
/// std::invalid_argument when none ran.
inline std::size_t fastest_candidate(const std::vector<std::optional<double>>& seconds,
                                     double margin = choice_margin) {
  std::optional<std::size_t> first;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (!seconds[i]) continue;
    if (!first) first = i;
    if (!best || *seconds[i] < *seconds[*best]) best = i;
  }
  if (!best) throw std::invalid_argument("fastest_candidate: no candidate ran");
  return *seconds[*best] < *seconds[*first] * (1 - margin) ? *best : *first;
}

}  // namespace gpugauge::bench
