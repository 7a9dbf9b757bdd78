// How far the processes of one round lie apart, for what learns it and for what watches it.
#pragma once

#include <cmath>
#include <cstddef>

#include "judge/gate.hpp"

namespace gpugauge::judge {

/// Fewer values say nothing about two modes.
inline constexpr std::size_t processes_for_spread = 3;

/// How far the processes of a round lie apart: the largest distance from their median once a fifth of them is
/// left out. One bad process in five is everyday life; two are a second mode, which Qn of five values would
/// not see.
double process_spread(const RoundValues& round);

/// std::hypot of glibc 2.35 would be the newest thing that the command needs; both are far from overflow
/// here.
inline double root_sum_of_squares(double a, double b) {
  return std::sqrt(a * a + b * b);
}

}  // namespace gpugauge::judge
