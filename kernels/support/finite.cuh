// The device code of finite.hpp.
#pragma once

#include <cstddef>

#include "kernels/support/bf16.hpp"
#include "kernels/support/host_device.hpp"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels {

// Tests the exponent bits: all ones mean infinity or NaN. The compiler's floating-point assumptions do not
// affect this.
GPUGAUGE_HOST_DEVICE inline bool is_finite(float value) {
  return (bits_of(value) & 0x7f800000U) != 0x7f800000U;
}
GPUGAUGE_HOST_DEVICE inline bool is_finite(Bf16 value) {
  return (value.bits & 0x7f80U) != 0x7f80U;
}
GPUGAUGE_HOST_DEVICE inline bool is_finite(Fp16 value) {
  return (value.bits & 0x7c00U) != 0x7c00U;
}

/// For compare_kernel.
template <typename T>
struct Finite {
  const T* data;
  GPUGAUGE_HOST_DEVICE bool operator()(std::size_t i) const { return is_finite(data[i]); }
};

}  // namespace gpugauge::kernels
