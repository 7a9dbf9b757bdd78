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

/// The first night on which the sum reaches the limit; an alarm asks for confirmation rounds and decides
/// nothing by itself.
std::optional<std::size_t> first_alarm(std::span<const double> nights, const Watched& watched, int metrics);

/// From night `night` on (0-based) the series runs `step` higher than before.
struct ChangePoint {
  std::size_t night = 0;  ///< the first at the new level, 0-based
  double step = 0;        ///< median of the segment that begins here minus median of the one before
  double z = 0;           ///< step over its standard error
};

/// Change points by binary segmentation (Scott and Knott, Biometrics 30, 1974): the split with the largest
/// |z| first, then each side again. Noise is sd = 1.4826 MAD(first differences) / sqrt 2, which a step
/// touches in one difference only. A point stands when |z| > 5, both segments have 3 nights or more and
/// |step| >= least_step, between the medians of the final segments too: one bad night is no level. In the
/// order of the nights. For hindsight: the same nights must not decide a verdict.
std::vector<ChangePoint> change_points(std::span<const double> nights, double least_step = .01);

}  // namespace gpugauge::judge
