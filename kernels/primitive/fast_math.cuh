// Instructions of the special function unit.
#pragma once

namespace gpugauge::kernels::primitive {

/// 2^x with a relative error of 2^-22; subnormal results become 0; 0 for minus infinity (ex2.approx.ftz).
__device__ __forceinline__ float exp2_approx(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

}  // namespace gpugauge::kernels::primitive
