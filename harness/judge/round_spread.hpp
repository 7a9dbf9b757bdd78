// The spread between the processes of one round, used to learn it and to test it.
#pragma once

#include <cmath>
#include <cstddef>

#include "judge/gate.hpp"

namespace gpugauge::judge {

/// Least number of values for a spread.
inline constexpr std::size_t processes_for_spread = 3;

/// Returns the largest distance from the median after leaving out a fifth of the processes. One bad process
/// in five is normal. Two are a second mode, which Qn of five values would not show.
double process_spread(const RoundValues& round);

/// Returns sqrt(a^2 + b^2). std::hypot would raise the required glibc to 2.35; both values are far from
/// overflow.
inline double root_sum_of_squares(double a, double b) {
  return std::sqrt(a * a + b * b);
}

}  // namespace gpugauge::judge
