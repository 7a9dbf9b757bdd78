// The gate on plain numbers: rounds of a baseline, rounds measured now, and what may be said of each metric.
// It knows no files, units or names, so that a simulation can put it through thousands of nights.
//
// Scale: natural logarithms, sign chosen so that + is worse. A change of +0.03 is 3% slower, or 3% less
// bandwidth.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace gpugauge::judge {

/// Values of one metric in the processes of one round; empty = not measured in this round.
using RoundValues = std::vector<double>;

/// Parameters of the gate that hold for all metrics.
struct GateRules {
  double alpha = .01;     ///< false regressions per judgement, over all metrics
  double alpha_ok = .05;  ///< false "ok" per metric and round at a change of exactly the tolerance
  int max_rounds = 6;     ///< Jmax; up to extended_rounds where the baseline's own bad rounds ask for more
};
/// Verdicts need this many baseline rounds.
inline constexpr int minimum_baseline_rounds = 5;
/// Where max_rounds ends when even max_rounds bad rounds could still be chance.
inline constexpr int extended_rounds = 8;
/// A metric that looks faster than the baseline is measured again up to this round only: it fails nobody.
inline constexpr int improvement_rounds = 3;
/// New processes that spread this many times wider than the baseline's make a metric unstable.
inline constexpr double unstable_ratio = 3;

/// One metric of the baseline.
struct Series {
  std::vector<RoundValues> rounds;  ///< the baseline's, those that hold the metric
  double tolerance = 0;             ///< tau > 0
  double resolution = 0;            ///< what the clock cannot tell apart; 0 = negligible
  int group = 0;                    ///< spreads are moderated among the series of one group
  /// Standard deviation between healthy units (nodes), where the two sides are two of them; 0 = one unit.
  double unit_spread = 0;
};

/// What the baseline says about one metric.
struct Scale {
  int rounds = 0;        ///< K
  double tolerance = 0;  ///< tau
  double centre = 0;     ///< mu, median of the round values
  double spread = 0;     ///< s, moderated standard deviation of a round's value; 0 when K < 2
  /// nu of s, and, where units differ by a part that is known, of the error of one round with that part.
  double degrees = 0;
  /// Median over rounds of how far their processes lie apart; absent below 3 processes a round.
  std::optional<double> process_spread;
  double minimum_detectable_change = 0;  ///< with detection_power; 0 when K < 2
  double unit_error = 0;                 ///< of the difference of two units; no number of rounds lessens it
  double ok_quantile = 0;                ///< t[1 - alpha_ok, nu]
  double ok_confidence = .95;            ///< 1 - alpha_ok
  bool advisory = false;  ///< minimum_detectable_change above twice the tolerance: too noisy to count
  /// Advisory only by what units differ by: between rounds of one unit it would not be.
  bool hidden_by_units = false;
  bool usable = false;  ///< K >= minimum_baseline_rounds
  /// A regression counts above this change, on average and in the middle one of its rounds; calibrate()
  /// leaves it at 0, where every regression counts. One that is shown and lies about there is measured
  /// further.
  double counts_above = 0;
};

/// What the whole baseline says.
struct Calibration {
  std::vector<Scale> scales;  ///< one a series, in its order
  double contamination = 0;   ///< eps: share of rounds that are bad without being a regression, >= 0.005
  /// A round is bad, and counts for a regression, where it is worse by more than this share of its tolerance:
  /// null_share, or more where the baseline's own rounds are that bad so often that chance would explain any
  /// number of them.
  double bad_share = 0;
  int usable = 0;      ///< M: metrics with enough baseline rounds
  int last_round = 0;  ///< after this round nothing is measured again
};
/// Moderates the spreads over the series of two rounds or more, group by group.
Calibration calibrate(std::span<const Series> series, const GateRules& rules);

/// What may be said of one metric after the rounds so far.
enum class Decision {
  ok,            ///< shown to be within the tolerance
  regressed,     ///< shown to be worse, in fresh rounds
  improved,      ///< shown to be better, in fresh rounds
  unstable,      ///< the processes of a round spread far wider than the baseline's
  inconclusive,  ///< nothing could be shown: for good, or (with `again`) not yet
};

/// One metric's decision and what it rests on. Changes are steps on the scale, + is worse.
struct GateResult {
  Decision decision = Decision::inconclusive;  ///< inconclusive while the metric is in doubt, too
  bool again = false;                          ///< wants a further round
  /// Shown to be worse, and in doubt only as to whether it counts (Scale::counts_above).
  bool worse = false;
  int rounds = 0;  ///< rounds that the decision rests on
  double change =
      0;  ///< estimate; without round 1 where that one only served to select the metric, or is left out
  /// Median of those rounds' changes: what one far out does not carry, as it does the mean in `change`.
  double typical = 0;
  /// What two of all the rounds reach, the first one included: the second largest of their changes, which one
  /// far out does not carry where the others are few; of a single round its own.
  double twice = 0;
  /// How many of all the rounds, the first one included, changed by more than a third of the tolerance: for
  /// the better where that was decided, else for the worse.
  int beyond = 0;
  double half_width =
      0;  ///< of the interval of change at 1 - 2 alpha_ok; 0 when the baseline has too few rounds
  /// Change of round 1 alone, where it is far out and two fresh rounds outvote it: change is without it then.
  std::optional<double> left_out = {};
};

/// Replays the rounds measured so far, first to last: now[metric][round]. A metric that was decided asks for
/// no round; one that it gets for another metric's sake counts, and decides anew: only a regression that
/// counts stays. At the last round nothing wants to be measured again. Metrics that are advisory ask for a
/// round only where they stand out of their noise. Throws std::invalid_argument when `now` and the
/// calibration differ in size.
std::vector<GateResult> decide(const Calibration& calibration, std::span<const std::vector<RoundValues>> now,
                               const GateRules& rules);

}  // namespace gpugauge::judge
