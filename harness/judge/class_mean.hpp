// Class means: the mean change of a class of metrics. A class mean shows "everything 1.5% slower", which is
// below the noise of any single metric.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "judge/gate.hpp"
#include "result/vocabulary.hpp"

namespace gpugauge::judge {

/// Least number of metrics for a class mean. A mean of one is that metric again; in a mean of two, one metric
/// within its tolerance could move it by half the tolerance.
inline constexpr std::size_t least_members = 3;
/// Tolerance of a class mean, as a share of the tolerance of the class's metrics: 3% becomes 1%, and the 10%
/// of a shared host 3.3%.
inline constexpr double class_mean_share = 1.0 / 3.0;
/// Spread group of class means (spreads are moderated within a group). Class means are quieter by
/// construction and would take on noise from the metrics.
inline constexpr int class_mean_group = 1;

/// The direction that all members share, nullopt where they differ: a mean of rates is a rate, a mean of times, and
/// one of both, is a time. `better_of(member)` is a member's own; `members` has one at least.
template <typename BetterOf>
std::optional<result::Direction> shared_direction(std::span<const std::size_t> members,
                                                  const BetterOf& better_of) {
  const result::Direction first = better_of(members.front());
  for (const std::size_t m : members)
    if (better_of(m) != first) return std::nullopt;
  return first;
}

/// One class mean.
struct ClassMean {
  std::vector<std::size_t> members;  ///< indices of metrics, ascending
  Series series;                     ///< one value per baseline round; without spread over processes
};

/// Returns the mean over `candidates` (metrics of one class), or a mean without members where fewer than
/// least_members take part. A metric takes part when every baseline round holds it, verdicts can be reached
/// on it, and it is not advisory. A plain mean would let the noisiest metric decide, and weights would let
/// the quietest one dominate. `metrics` are the series that `calibration` was made from; tolerance is a step
/// on the scale.
ClassMean class_mean(std::span<const Series> metrics, const Calibration& calibration,
                     std::span<const std::size_t> candidates, double tolerance);

/// Returns the class mean in one round: the mean over its members of (round value - centre), where a round
/// value is the median over processes. Empty when the round lacks a member, since a mean over fewer metrics
/// is another quantity. `round[m]` are the values of metric m.
RoundValues class_round(const ClassMean& mean, const Calibration& calibration,
                        std::span<const RoundValues> round);

}  // namespace gpugauge::judge
