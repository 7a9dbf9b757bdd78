// Converts between values in their unit and the gate's scale: natural logarithms, + is worse.
#pragma once

#include <cmath>

#include "result/vocabulary.hpp"

namespace gpugauge::judge {

/// Converts a value > 0 to the scale.
inline double to_scale(double value, result::Direction better) {
  return better == result::Direction::lower ? std::log(value) : -std::log(value);
}
/// Converts back to the unit; the inverse of to_scale.
inline double from_scale(double x, result::Direction better) {
  return std::exp(better == result::Direction::lower ? x : -x);
}

/// Converts a relative change in the unit (+ worse; .1 = 10% less bandwidth, or 10% more latency) to a step
/// on the scale. relative < 1 where higher is better, since no more than all can be lost.
inline double step_of(double relative, result::Direction better) {
  return better == result::Direction::lower ? std::log1p(relative) : -std::log1p(-relative);
}
/// The inverse of step_of.
inline double relative_of(double step, result::Direction better) {
  return better == result::Direction::lower ? std::expm1(step) : -std::expm1(-step);
}

}  // namespace gpugauge::judge
