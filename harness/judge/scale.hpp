// Between a value in its unit and the gate's scale: natural logarithms, + is worse.
#pragma once

#include <cmath>

#include "result/vocabulary.hpp"

namespace gpugauge::judge {

/// value > 0.
inline double to_scale(double value, result::Direction better) {
  return better == result::Direction::lower ? std::log(value) : -std::log(value);
}
/// Back to the unit: the inverse of to_scale.
inline double from_scale(double x, result::Direction better) {
  return std::exp(better == result::Direction::lower ? x : -x);
}

/// A relative change in the unit (+ worse; .1 = 10% less bandwidth, or 10% more latency) as a step on the
/// scale, and back. relative < 1 where higher is better: nothing loses more than all of its bandwidth.
inline double step_of(double relative, result::Direction better) {
  return better == result::Direction::lower ? std::log1p(relative) : -std::log1p(-relative);
}
/// The inverse of step_of.
inline double relative_of(double step, result::Direction better) {
  return better == result::Direction::lower ? std::expm1(step) : -std::expm1(-step);
}

}  // namespace gpugauge::judge
