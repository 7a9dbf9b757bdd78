// The functions of kernels/primitive/fast_math.cuh on the host, exact to a rounding.
#pragma once

#include <cmath>

namespace gpugauge::kernels::primitive {

inline float exp2_approx(float x) {
  return std::exp2(x);
}

}  // namespace gpugauge::kernels::primitive
