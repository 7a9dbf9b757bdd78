// fp16 and fp8 (e4m3) as bits. The conversions are the same on host and device, without a CUDA header.
#pragma once

#include <cstdint>

#include "kernels/support/bf16.hpp"
#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels {

/// IEEE 754 binary16: 5 bits of exponent, 10 of mantissa.
struct Fp16 {
  /// The bits as stored in memory.
  std::uint16_t bits = 0;
};

/// fp8 with 4 bits of exponent and 3 of mantissa, up to 448. No infinity; 0x7f and 0xff are NaN.
struct E4m3 {
  /// The bits as stored in memory.
  std::uint8_t bits = 0;
};

namespace detail {

/// The unsigned code of the nearest number with `mantissa` bits of mantissa and exponent bias `bias`, ties to
/// even, gradual underflow. `magnitude`: the bits of a finite fp32 without its sign. The result may exceed
/// the format's range.
GPUGAUGE_HOST_DEVICE constexpr std::uint32_t nearest_code(std::uint32_t magnitude, int mantissa, int bias) {
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent < -bias - mantissa - 1) return 0;  // below half of the least number; fp32 subnormals too
  const int lowest = 1 - bias;                    // exponent of the subnormals
  const int shift = 23 - mantissa + (exponent < lowest ? lowest - exponent : 0);
  const std::uint32_t significand = (magnitude & 0x7fffffU) | 0x800000U;
  const std::uint32_t rounded =
      (significand + (1U << (shift - 1)) - 1 + ((significand >> shift) & 1U)) >> shift;
  // The leading bit of a normal number adds one to the exponent field; so does a carry.
  return rounded + (static_cast<std::uint32_t>(exponent < lowest ? 0 : exponent - lowest) << mantissa);
}

/// The value of an unsigned code that is not infinite or NaN.
GPUGAUGE_HOST_DEVICE inline float value_of_code(std::uint32_t code, int mantissa, int bias) {
  const std::uint32_t exponent = code >> mantissa;
  const std::uint32_t fraction = code & ((1U << mantissa) - 1);
  if (exponent == 0)
    return static_cast<float>(fraction) *
           float_of(static_cast<std::uint32_t>(1 - bias - mantissa + 127) << 23);
  return float_of((exponent + static_cast<std::uint32_t>(127 - bias)) << 23 | fraction << (23 - mantissa));
}

}  // namespace detail

/// Nearest binary16, ties to even. A number that is too large becomes infinite; NaN becomes a quiet NaN.
GPUGAUGE_HOST_DEVICE inline Fp16 to_fp16(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t code = 0x7e00U;
  if (magnitude == 0x7f800000U)
    code = 0x7c00U;
  else if (magnitude < 0x7f800000U) {
    code = detail::nearest_code(magnitude, 10, 15);
    if (code > 0x7c00U) code = 0x7c00U;
  }
  return Fp16{static_cast<std::uint16_t>(bits >> 31 << 15 | code)};
}

/// Nearest e4m3, ties to even. Infinity, NaN and numbers that round beyond 448 become NaN.
GPUGAUGE_HOST_DEVICE inline E4m3 to_e4m3(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t code = 0x7fU;
  if (magnitude < 0x7f800000U) {
    code = detail::nearest_code(magnitude, 3, 7);
    if (code > 0x7fU) code = 0x7fU;
  }
  return E4m3{static_cast<std::uint8_t>(bits >> 31 << 7 | code)};
}

GPUGAUGE_HOST_DEVICE inline float to_float(Fp16 value) {
  const std::uint32_t bits = value.bits;
  const std::uint32_t code = bits & 0x7fffU;
  const float magnitude =
      code >= 0x7c00U ? float_of(0x7f800000U | (code & 0x3ffU) << 13) : detail::value_of_code(code, 10, 15);
  return float_of(bits_of(magnitude) | bits >> 15 << 31);
}

GPUGAUGE_HOST_DEVICE inline float to_float(E4m3 value) {
  const std::uint32_t bits = value.bits;
  const std::uint32_t code = bits & 0x7fU;
  const float magnitude = code == 0x7fU ? float_of(0x7fc00000U) : detail::value_of_code(code, 3, 7);
  return float_of(bits_of(magnitude) | bits >> 7 << 31);
}

}  // namespace gpugauge::kernels
