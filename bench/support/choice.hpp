// Choosing among the algorithms that a library offers for one operation. Pure functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

#include "support/definition.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench {

/// Another candidate must be this much faster than the library's first choice. Below this margin the choice
/// would follow noise.
inline constexpr double choice_margin = 0.01;

/// Returns the candidates within `margin` of the fastest time, fastest first, at most `most` of them. A
/// search is too short to tell these apart. Empty when none ran.
inline std::vector<std::size_t> contenders(const std::vector<std::optional<double>>& seconds, double margin,
                                           std::size_t most) {
  std::vector<std::size_t> ran;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (seconds[i]) ran.push_back(i);
  std::stable_sort(ran.begin(), ran.end(),
                   [&](std::size_t left, std::size_t right) { return *seconds[left] < *seconds[right]; });
  const auto apart = std::find_if(ran.begin(), ran.end(), [&](std::size_t index) {
    return *seconds[index] > *seconds[ran.front()] * (1 + margin);
  });
  ran.erase(apart, ran.end());
  if (ran.size() > most) ran.resize(most);
  return ran;
}

/// How much of what a library offers is tried.
struct Search {
  std::size_t candidates = 1;  ///< number of candidates that run and are compared
  int rounds = 1;              ///< every candidate has one turn per round

  /// Compares member by member.
  bool operator==(const Search&) const = default;
};

/// Time budget for trying the candidates of a long operation: seconds of running operations.
inline constexpr double search_seconds_in_all = 1;
/// An operation that takes at least this many seconds is long: a batch of it is one operation.
inline constexpr double long_operation_seconds = 0.01;

/// Plans the search over `offered` candidates, 1 or more, when one operation of the first takes `seconds`.
/// Short operations: all candidates in three rounds. Long operations: as many candidates as fit in
/// search_seconds_in_all, at least the first, then as many rounds as fit. A candidate costs two operations in
/// the first round (one loads its kernel) and one in each later round. The first candidate is already loaded.
inline Search plan_search(std::size_t offered, double seconds) {
  constexpr int most_rounds = 3;
  if (offered <= 1) return {};
  if (seconds < long_operation_seconds) return {offered, most_rounds};
  const double operations = search_seconds_in_all / seconds;
  const double others = std::max(0.0, std::floor((operations - 1) / 2));
  const double candidates = std::min(static_cast<double>(offered), 1 + others);
  if (candidates <= 1) return {};
  const double more_rounds = std::floor((operations - (2 * candidates - 1)) / candidates);
  return {static_cast<std::size_t>(candidates),
          1 + static_cast<int>(std::clamp(more_rounds, 0.0, most_rounds - 1.0))};
}

/// Speed-up of `other` over `first`, from the seconds of batches taken in turns; 1 where `other` is no faster. Throws
/// std::invalid_argument when either is empty.
inline double times_as_fast(const std::vector<double>& first, const std::vector<double>& other) {
  return std::max(1.0, median(first) / median(other));
}

/// The fastest of several that took turns.
struct Fastest {
  std::size_t index =
      0;  ///< of the list that was given: the first unless another is faster by more than the margin
  double times = 1;  ///< times_as_fast() of the fastest over the first, also within the margin

  /// Compares member by member.
  bool operator==(const Fastest&) const = default;
};

/// The fastest by the seconds of batches taken in turns. Only the name has a margin: with one, the value of a
/// candidate that is about that much faster would jump by it from process to process. Throws std::invalid_argument
/// when there is none, or one has no batch.
inline Fastest fastest_in_turns(const std::vector<std::vector<double>>& seconds,
                                double margin = choice_margin) {
  if (seconds.empty()) throw std::invalid_argument("fastest_in_turns: nothing took turns");
  Fastest out;
  for (std::size_t i = 1; i < seconds.size(); ++i)
    if (const double times = times_as_fast(seconds.front(), seconds[i]); times > out.times) out = {i, times};
  if (1 / out.times >= 1 - margin) out.index = 0;
  return out;
}

/// Scales a value of the first candidate to that of a candidate `times` as fast.
inline double sped_up(double value, Quantity quantity, double times) {
  return quantity == Quantity::latency ? value / times : value * times;
}

}  // namespace gpugauge::bench
