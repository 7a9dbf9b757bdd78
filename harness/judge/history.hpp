// Monitors a series of nights (alarms) and finds change points in hindsight. Plain numbers on the gate's
// scale (natural logarithms, + is worse), one value per night, oldest first.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gpugauge::judge {

/// What the watched metric is held against.
struct Watched {
  double centre = 0;            ///< mu
  double spread = 0;            ///< s > 0, standard deviation of a round's value
  double tolerance = 0;         ///< tau > 0: the shift that the monitor is built to see
  double contamination = .005;  ///< eps, 0 < eps < 1: share of rounds that are bad by chance
};

/// The evidence of one night, min(ln(1/eps), tau/s^2 (x - mu - tau/2)); + is for a shift. Throws
/// std::invalid_argument for parameters outside their ranges.
double evidence_of(double night, const Watched& watched);

/// The spread at which a night that is worse by the tolerance reaches the cap, tau^2 / (2 s^2) = ln(1/eps). A
/// smaller one, as a few runs have it that happen to lie close together, would find nothing more.
double least_watched_spread(double tolerance, double contamination);

/// Cumulative sums (Page, Biometrika 41, 1954) of the log likelihood ratio of a shift by tau against no
/// shift,
///   C = max(0, C + min(ln(1/eps), tau/s^2 (x - mu - tau/2))),
/// one value per night. The cap limits the evidence of a single night: it may be a bad night with probability
/// eps, so it can never raise the alarm alone. Throws std::invalid_argument for parameters outside their
/// ranges.
std::vector<double> cumulative_sums(std::span<const double> nights, const Watched& watched);

/// The sum at which a monitor of M metrics alarms: ln(365 M), about one false alarm per year over all of them
/// (Lorden, Ann. Math. Stat. 42, 1971: the mean time to a false alarm is at least exp(limit)). metrics >= 1.
double alarm_limit(int metrics);

/// The sums left zero on night `from`, where the shift most likely began, and reached the limit on night
/// `night`. Both are 0-based.
struct Alarm {
  std::size_t from = 0;   ///< 0 <= from <= night
  std::size_t night = 0;  ///< the first night on which the sum reaches the limit
};

/// Returns the alarms in the sums of cumulative_sums(), oldest first; the sum returns to zero between two
/// alarms. An alarm asks for confirmation rounds and decides nothing by itself. limit > 0.
std::vector<Alarm> alarms(std::span<const double> sums, double limit);

/// The series runs `step` higher from night `night` on.
struct ChangePoint {
  std::size_t night = 0;  ///< the first night at the new level, 0-based
  double step = 0;        ///< median of the segment that begins here minus the median of the previous segment
  double z = 0;           ///< step over its standard error
};

/// Least number of nights in a level.
inline constexpr std::size_t least_level = 3;

/// Finds change points by binary segmentation (Scott and Knott, Biometrics 30, 1974): the split with the
/// largest |z| first, then each side again. The noise is the larger of two estimates. The first is sd =
/// 1.4826 MAD(first differences) / sqrt 2, since a step affects only one difference. The second is sd =
/// 1.03368 Q / sqrt 2, with Q the two-thirds quantile of the same deviations, so that values alternating
/// between two modes are no change of level. Each point then moves to where the absolute deviations from the two
/// neighbouring medians are least. A point stands when |z| > 5, both segments have 3 or more nights and
/// |step| >= least_step, also between the medians of the final segments. One or two bad nights are not a
/// level. In the order of the nights. For hindsight only: the same nights must not decide a verdict.
std::vector<ChangePoint> change_points(std::span<const double> nights, double least_step = .01);

/// Returns the last night, or the last two, where each of them alone differs from the previous level like a
/// change point (|z| > 5, |step| >= least_step), all to the same side. They are too few for a level, but must
/// be reported. The previous level begins on night `from`: that of the last change point, or 0. nullopt where
/// it has fewer than 3 nights before them.
std::optional<ChangePoint> too_few_for_a_level(std::span<const double> nights, std::size_t from,
                                               double least_step);

}  // namespace gpugauge::judge
