// bfloat16 as bits: the upper half of a float. The conversions are the same on host and device, without a
// CUDA header.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels {

/// A bfloat16: 1 bit of sign, 8 of exponent, 7 of mantissa.
struct Bf16 {
  /// The bits as stored in memory.
  std::uint16_t bits = 0;
};

GPUGAUGE_HOST_DEVICE inline std::uint32_t bits_of(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

GPUGAUGE_HOST_DEVICE inline float float_of(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

GPUGAUGE_HOST_DEVICE inline float to_float(Bf16 value) {
  return float_of(static_cast<std::uint32_t>(value.bits) << 16);
}

/// Nearest bfloat16, ties to even. NaN becomes a quiet NaN.
GPUGAUGE_HOST_DEVICE inline Bf16 to_bf16(float value) {
  const std::uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return Bf16{static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
  const std::uint32_t rounding = 0x7fffU + ((bits >> 16) & 1U);
  return Bf16{static_cast<std::uint16_t>((bits + rounding) >> 16)};
}

}  // namespace gpugauge::kernels
