#include "judge/provisional.hpp"

#include <algorithm>
#include <cmath>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

constexpr double provisional_multiple = 2;

double beyond_noise(const Scale& scale, double least) {
  return scale.advisory ? std::max(least, provisional_noisy_multiple * scale.minimum_detectable_change)
                        : least;
}

}  // namespace

double counts_above_provisional(const Scale& scale) {
  return beyond_noise(scale, provisional_multiple * scale.tolerance);
}

double counts_above_provisional(const Scale& scale, double class_tolerance) {
  return beyond_noise(scale, std::max(scale.tolerance, class_tolerance));
}

double detectable_change(const Scale& scale, double above, const GateRules& rules) {
  if (above <= 0) return scale.minimum_detectable_change;
  // The median of the fresh rounds must exceed it too, and spreads wider than their mean.
  const double round = scale.spread * scale.spread;
  const double noise =
      std::sqrt(round * median_variance_factor(rules.max_rounds - 1) +
                round * median_variance_factor(scale.rounds) + scale.unit_error * scale.unit_error);
  return std::max(scale.minimum_detectable_change,
                  above + t_quantile(detection_power, scale.degrees) * noise);
}

}  // namespace gpugauge::judge
