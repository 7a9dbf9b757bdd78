// Class means: what a class of metrics does together. They see "everything 1.5% slower", which no single
// metric can show through its noise.
#pragma once

#include <span>
#include <vector>

#include "judge/gate.hpp"

namespace gpugauge::judge {

/// Fewer metrics than this make no class mean: of one it would be that metric again, and of two a single
/// metric within its tolerance could move it by half of that.
inline constexpr std::size_t least_members = 3;
/// Tolerance of a class mean, as a share of the tolerance of the class's metrics: 3% becomes 1%, and the 10%
/// of a shared host 3.3%.
inline constexpr double class_mean_share = 1.0 / 3.0;
/// The moderation of spreads is shared by series of one group: class means are quieter by construction and
/// would borrow noise from the metrics.
inline constexpr int class_mean_group = 1;

/// One class mean.
struct ClassMean {
  std::vector<std::size_t> members;  ///< indices of metrics, ascending
  Series series;                     ///< one value a baseline round; without spread over processes
};

/// The mean over `candidates` (metrics of one class), or one without members where fewer than least_members
/// take part. A metric takes part when every baseline round holds it, verdicts can be reached on it, and it
/// is not advisory: plain means let the noisiest metric decide, and weights would let the quietest one stand
/// for all. `metrics` are the series that `calibration` was made from; tolerance is a step on the scale.
ClassMean class_mean(std::span<const Series> metrics, const Calibration& calibration,
                     std::span<const std::size_t> candidates, double tolerance);

/// Value of a class mean in one round: the mean over members of their round value (median over processes)
/// minus their centre. One value, or none when a member was not measured in this round: a mean over others is
/// another quantity. `round[m]` are the values of metric m.
RoundValues class_round(const ClassMean& mean, const Calibration& calibration,
                        std::span<const RoundValues> round);

}  // namespace gpugauge::judge
