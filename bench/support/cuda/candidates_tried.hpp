// The outcome of trying the algorithms that a library offers, one after another. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/choice.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::cuda {

/// The library says that it does not support a candidate after all; what() is the library's own message. Any
/// other failure, such as a kernel that fails, is a fault of the library or the GPU.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The library refused every candidate that it offers; what() is the first refusal.
class AllRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The outcome per candidate, in the library's order.
struct Tried {
  std::vector<std::optional<double>> seconds;  ///< nullopt for a candidate that was refused or not tried
  std::size_t tried = 0;                       ///< number of candidates tried, including refused ones
  std::size_t refused = 0;                     ///< number of refused candidates
  std::string refusal;                         ///< message of the first refusal
};

/// Times the candidates in turns: `seconds_of(index)` for `count` candidates, in order. `plan_of(seconds)` is
/// asked once, with the first time measured, and says how many candidates to try and for how many rounds.
/// Taking turns keeps clock drift, as at a power limit, from favouring any of them. The seconds returned are
/// medians. Any exception but Refused in the first round ends the search, and so does any exception in later
/// rounds. Throws AllRefused if all refuse.
/// @pre count >= 1
template <typename PlanOf, typename SecondsOf>
Tried try_in_turns(std::size_t count, const PlanOf& plan_of, const SecondsOf& seconds_of) {
  Tried tried;
  tried.seconds.resize(count);
  Search plan;
  std::vector<std::vector<double>> all(count);
  std::size_t ran = 0;
  for (std::size_t i = 0; i < count && (ran == 0 || ran < plan.candidates); ++i) {
    ++tried.tried;
    try {
      const double seconds = seconds_of(i);
      all[i].push_back(seconds);
      if (ran++ == 0) plan = plan_of(seconds);
    } catch (const Refused& refused) {
      if (tried.refused++ == 0) tried.refusal = refused.what();
    }
  }
  if (ran == 0) throw AllRefused(tried.refusal);
  for (int round = 1; round < plan.rounds; ++round)
    for (std::size_t i = 0; i < count; ++i)
      if (!all[i].empty()) all[i].push_back(seconds_of(i));
  for (std::size_t i = 0; i < count; ++i)
    if (!all[i].empty()) tried.seconds[i] = median(std::move(all[i]));
  return tried;
}

/// What the notes on a candidate end with: "" for the first, which is what a program gets, "_best" for
/// another.
inline std::string note_suffix(std::size_t candidate, std::size_t first) {
  return candidate == first ? "" : "_best";
}

/// Tries all candidates in one round.
template <typename SecondsOf>
Tried try_each(std::size_t count, const SecondsOf& seconds_of) {
  return try_in_turns(
      count,
      [count](double) {
        return Search{count, 1};
      },
      seconds_of);
}

}  // namespace gpugauge::bench::cuda
