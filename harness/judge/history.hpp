// What a series of nights shows: a monitor that raises its hand, and change points found in hindsight.
// Plain numbers on the gate's scale (natural logarithms, + is worse), one value a night, oldest first.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gpugauge::judge {

/// What the pinned baseline says of the metric that is watched.
struct Watched {
  double centre = 0;            ///< mu
  double spread = 0;            ///< s > 0, standard deviation of a round's value
  double tolerance = 0;         ///< tau > 0: the shift that the monitor is built to see
  double contamination = .005;  ///< eps, 0 < eps < 1: share of rounds that are bad by themselves
};

/// Cumulative sums (Page, Biometrika 41, 1954) of the log likelihood ratio of a shift by tau against none,
///   C = max(0, C + min(ln(1/eps), tau/s^2 (x - mu - tau/2))),
/// one value a night. The cap is what a single night may testify: a bad night has the likelihood eps of
/// being just that, so it can never raise the alarm alone. Throws std::invalid_argument for parameters
/// outside their ranges.
std::vector<double> cumulative_sums(std::span<const double> nights, const Watched& watched);

/// The sum at which a monitor of this many metrics alarms: ln(365 M), about one false alarm a year over all
/// of them (Lorden, Ann. Math. Stat. 42, 1971: the mean time to a false alarm is at least exp(limit)).
/// metrics >= 1.
double alarm_limit(int metrics);

/// The sums left zero on night `from` and reached the limit on night `night`, both 0-based: the first is
/// where the shift most likely began, the second when the monitor was sure of it.
struct Alarm {
  std::size_t from = 0;   ///< 0 <= from <= night
  std::size_t night = 0;  ///< the first at which the sum is at the limit or above
};

/// Alarms of the sums of cumulative_sums(), oldest first: between two of them the sum was zero again. An
/// alarm asks for confirmation rounds and decides nothing by itself. limit > 0.
std::vector<Alarm> alarms(std::span<const double> sums, double limit);

/// From night `night` on (0-based) the series runs `step` higher than before.
struct ChangePoint {
  std::size_t night = 0;  ///< the first at the new level, 0-based
  double step = 0;        ///< median of the segment that begins here minus median of the one before
  double z = 0;           ///< step over its standard error
};

/// Fewest nights of a level.
inline constexpr std::size_t least_level = 3;

/// Change points by binary segmentation (Scott and Knott, Biometrics 30, 1974): the split with the largest
/// |z| first, then each side again. Noise is the larger of sd = 1.4826 MAD(first differences) / sqrt 2,
/// which a step touches in one difference only, and of sd = .8693 Q3 / sqrt 2, with Q3 the upper quartile
/// of the same deviations: where values go to and fro between two modes, that is no change of level. Each
/// point then moves to where the absolute deviations from the two neighbouring medians are least, so that a
/// night counts to the level that it lies at. A point stands when |z| > 5, both segments have 3 nights or
/// more and |step| >= least_step, between the medians of the final segments too: one bad night or two are no
/// level. In the order of the nights. For hindsight: the same nights must not decide a verdict.
std::vector<ChangePoint> change_points(std::span<const double> nights, double least_step = .01);

/// The last night, or the last two, where each of them by itself lies as far from the level before as a
/// change point has to (|z| > 5, |step| >= least_step) and to the same side: too few to make a level, and not
/// to be passed over in silence. The level begins on night `from`, that of the last change point or 0;
/// nullopt where it has fewer than 3 nights before them.
std::optional<ChangePoint> too_few_for_a_level(std::span<const double> nights, std::size_t from,
                                               double least_step);

}  // namespace gpugauge::judge
