// What becomes of trying the algorithms that a library offers, one after another. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/statistics.hpp"

namespace gpugauge::bench::cuda {

/// The library says of a candidate that it does not do this after all; what(): in its own words. No other
/// failure is one of these: a kernel that fails is a fault of the library or of the GPU.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Of each candidate, in the library's order.
struct Tried {
  std::vector<std::optional<double>> seconds;  ///< none for one that was refused
  std::size_t refused = 0;                     ///< their number
  std::string refusal;                         ///< what the first of them said
};

/// Calls `seconds_of(index)` for each of `count` candidates. What it throws ends the trial, but for Refused.
/// Throws std::runtime_error with the first refusal where all were refused.
/// @pre count >= 1
template <typename SecondsOf>
Tried try_each(std::size_t count, const SecondsOf& seconds_of) {
  Tried tried;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      tried.seconds.emplace_back(seconds_of(i));
    } catch (const Refused& refused) {
      tried.seconds.emplace_back();
      if (tried.refused++ == 0) tried.refusal = refused.what();
    }
  }
  if (tried.refused == count) throw std::runtime_error(tried.refusal);
  return tried;
}

/// The same in `rounds` rounds, each time all candidates one after another: what drifts meanwhile, as the
/// clock of a GPU at its power limit does, favours none of them. The seconds are medians. A candidate that
/// the first round refused is not tried again; what is thrown later ends the trial.
/// @pre count >= 1, rounds >= 1
template <typename SecondsOf>
Tried try_in_turns(std::size_t count, int rounds, const SecondsOf& seconds_of) {
  Tried tried = try_each(count, seconds_of);
  std::vector<std::vector<double>> all(count);
  for (std::size_t i = 0; i < count; ++i)
    if (tried.seconds[i]) all[i].push_back(*tried.seconds[i]);
  for (int round = 1; round < rounds; ++round)
    for (std::size_t i = 0; i < count; ++i)
      if (tried.seconds[i]) all[i].push_back(seconds_of(i));
  for (std::size_t i = 0; i < count; ++i)
    if (tried.seconds[i]) tried.seconds[i] = median(std::move(all[i]));
  return tried;
}

}  // namespace gpugauge::bench::cuda
