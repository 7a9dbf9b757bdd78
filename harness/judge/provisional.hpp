// What a regression from a provisional baseline, of few boots and days, must exceed to count, and what is
// therefore found with it. Plain numbers, steps on the gate's scale.
#pragma once

#include "judge/gate.hpp"

namespace gpugauge::judge {

/// Nor has such a baseline seen all of the noise: of a metric that it calls noisy a regression counts above
/// so many times what that noise is said to hide.
inline constexpr double provisional_noisy_multiple = 1.5;

/// The change above which a regression of a metric counts: twice its tolerance, since boots and days were not
/// seen to differ. (Deviations of 1% between boots alone made a false alarm in .62 of simulated nights.)
double counts_above_provisional(const Scale& scale);
/// The same of a class mean, whose metrics a boot moves together: the tolerance of the class itself, or the
/// mean's own where a policy gave it a larger one.
double counts_above_provisional(const Scale& scale, double class_tolerance);

/// The smallest change that is found, and counts above `above`, with detection_power. 0 = whatever is found
/// counts.
double detectable_change(const Scale& scale, double above, const GateRules& rules);

}  // namespace gpugauge::judge
