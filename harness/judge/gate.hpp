// The gate: decides on each metric from the rounds of a baseline and the rounds measured now. It uses plain
// numbers without files, units or names, so that a simulation can run it thousands of times.
//
// Scale: natural logarithms, with the sign chosen so that + is worse. A change of +0.03 is 3% slower, or 3%
// less bandwidth.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace gpugauge::judge {

/// Values of one metric over the processes of one round; empty = not measured in this round.
using RoundValues = std::vector<double>;

/// Gate parameters for all metrics.
struct GateRules {
  double alpha = .01;     ///< false regressions per judgement, over all metrics
  double alpha_ok = .05;  ///< false "ok" per metric and round at a change of exactly the tolerance
  int max_rounds = 6;     ///< Jmax; up to extended_rounds if the baseline's own bad rounds require more
};
/// Verdicts need this many baseline rounds.
inline constexpr int minimum_baseline_rounds = 5;
/// Largest number of rounds, for when even max_rounds bad rounds could be chance.
inline constexpr int extended_rounds = 8;
/// A metric that looks faster than the baseline is measured again only up to this round, since it fails no
/// device.
inline constexpr int improvement_rounds = 3;
/// A metric is unstable if the spread of its new processes is this many times the baseline's.
inline constexpr double unstable_ratio = 3;

/// One metric of the baseline.
struct Series {
  std::vector<RoundValues> rounds;  ///< baseline rounds that hold the metric
  double tolerance = 0;             ///< tau > 0
  double resolution = 0;            ///< smallest step that the clock resolves; 0 = negligible
  int group = 0;                    ///< spreads are moderated within a group of series
  /// Standard deviation between healthy units (nodes), if the two sides are different units; 0 = the same
  /// unit.
  double unit_spread = 0;
};

/// What the baseline says about one metric.
struct Scale {
  int rounds = 0;        ///< K
  double tolerance = 0;  ///< tau
  double centre = 0;     ///< mu, median of the round values
  double spread = 0;     ///< s, moderated standard deviation of a round's value; 0 when K < 2
  /// nu of s. Where units differ by a known spread: degrees of freedom of one round's error including that
  /// spread.
  double degrees = 0;
  /// Median over rounds of process_spread(); nullopt below 3 processes per round.
  std::optional<double> process_spread;
  double minimum_detectable_change = 0;  ///< with detection_power; 0 when K < 2
  double unit_error = 0;       ///< error of the difference of two units; more rounds do not reduce it
  double ok_quantile = 0;      ///< t[1 - alpha_ok, nu]
  double ok_confidence = .95;  ///< 1 - alpha_ok
  bool advisory = false;       ///< minimum_detectable_change above twice the tolerance: too noisy to count
  /// Advisory only because of unit_spread; between rounds of one unit it would not be.
  bool hidden_by_units = false;
  bool usable = false;  ///< K >= minimum_baseline_rounds
  /// A regression counts above this change, in its mean and in the median of its rounds. calibrate() leaves
  /// it at 0: every regression counts. A regression that is shown and lies near this value is measured
  /// further.
  double counts_above = 0;
};

/// What the baseline shows over all metrics.
struct Calibration {
  std::vector<Scale> scales;  ///< one per series, in its order
  double contamination = 0;   ///< eps: share of rounds that are bad without being a regression, >= 0.005
  /// A round is bad, and counts towards a regression, where it is worse by more than this share of its
  /// tolerance. null_share, or more where the baseline's own rounds are that bad so often that chance would
  /// explain any number of them.
  double bad_share = 0;
  int usable = 0;      ///< M: metrics with enough baseline rounds
  int last_round = 0;  ///< no metric is measured again after this round
};
/// Calibrates the gate. Spreads of series with two or more rounds are moderated within their group.
Calibration calibrate(std::span<const Series> series, const GateRules& rules);

/// The decision on one metric after the rounds so far.
enum class Decision {
  ok,            ///< shown to be within the tolerance
  regressed,     ///< shown to be worse, in fresh rounds
  improved,      ///< shown to be better, in fresh rounds
  unstable,      ///< the processes of a round spread far wider than the baseline's
  inconclusive,  ///< nothing could be shown: finally, or (with `again`) so far
};

/// The decision on one metric and its basis. Changes are steps on the scale, + is worse.
struct GateResult {
  Decision decision = Decision::inconclusive;  ///< also inconclusive while the metric is in doubt
  bool again = false;                          ///< requests a further round
  /// Shown to be worse; the only doubt is whether it counts (Scale::counts_above).
  bool worse = false;
  int rounds = 0;  ///< rounds that the decision is based on
  /// Estimate. Excludes round 1 where that round only selected the metric, or is left out.
  double change = 0;
  /// Median of those rounds' changes. Unlike the mean in `change`, a single outlier does not move it.
  double typical = 0;
  /// The second largest change of all rounds, including the first: at least two rounds reach it. A single
  /// outlier among few rounds does not move it. With one round, that round's change.
  double twice = 0;
  /// Number of rounds, including the first, that changed by more than a third of the tolerance: for the
  /// better if that was decided, else for the worse.
  int beyond = 0;
  /// half width of the 1 - 2 alpha_ok interval of change; 0 when the baseline has too few rounds
  double half_width = 0;
  /// Change of round 1, if it is an outlier and two fresh rounds outvote it. `change` then excludes it.
  std::optional<double> left_out = {};
};

/// Replays the rounds measured so far, first to last: now[metric][round]. A decided metric requests no round.
/// If another metric's request measures it again, that round counts and the metric is decided anew; only a
/// counted regression is final. No metric requests a round after the last one. Advisory metrics request a
/// round only where they exceed their noise. Throws std::invalid_argument when `now` and the calibration
/// differ in size.
std::vector<GateResult> decide(const Calibration& calibration, std::span<const std::vector<RoundValues>> now,
                               const GateRules& rules);

}  // namespace gpugauge::judge
