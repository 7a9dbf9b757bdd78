// Thresholds for regressions from a provisional baseline (few boots and days), and the changes that are
// detectable with them. Plain numbers, steps on the gate's scale.
#pragma once

#include "judge/gate.hpp"

namespace gpugauge::judge {

/// Such a baseline has not seen all of the noise either. A regression of a metric that it calls noisy counts
/// above this many times its minimum detectable change.
inline constexpr double provisional_noisy_multiple = 1.5;

/// The change above which a regression of a metric counts: twice its tolerance, since the baseline covers too
/// few boots and days. (Deviations of 1% between boots alone caused a false alarm in .62 of simulated
/// nights.)
double counts_above_provisional(const Scale& scale);
/// The same for a class mean, whose metrics a boot moves together: the class's tolerance, or the mean's own
/// if a policy set a larger one.
double counts_above_provisional(const Scale& scale, double class_tolerance);

/// The smallest change that is found and counts above `above`, with detection_power. 0 = every change found
/// counts.
double detectable_change(const Scale& scale, double above, const GateRules& rules);

}  // namespace gpugauge::judge
