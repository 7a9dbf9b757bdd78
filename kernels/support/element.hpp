// The element types that libraries compute with, chosen at run time. The conversions are the same on host and
// device, without a CUDA header. For filling and checking buffers; measured kernels name their types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/support/bf16.hpp"
#include "kernels/support/host_device.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels {

/// fp8: e4m3 has no infinity and ends at 448, e5m2 is the upper half of fp16.
enum class Element { fp64, fp32, fp16, bf16, e4m3, e5m2, int8, int32 };

GPUGAUGE_HOST_DEVICE constexpr std::size_t size_of(Element type) {
  switch (type) {
    case Element::fp64:
      return 8;
    case Element::fp32:
    case Element::int32:
      return 4;
    case Element::fp16:
    case Element::bf16:
      return 2;
    default:
      return 1;
  }
}

constexpr const char* name_of(Element type) {
  switch (type) {
    case Element::fp64:
      return "fp64";
    case Element::fp32:
      return "fp32";
    case Element::fp16:
      return "fp16";
    case Element::bf16:
      return "bf16";
    case Element::e4m3:
      return "e4m3";
    case Element::e5m2:
      return "e5m2";
    case Element::int8:
      return "int8";
    case Element::int32:
      return "int32";
  }
  return "unknown";
}

/// The bits of the nearest number with `exponent_bits` and `mantissa_bits`, ties to even, including
/// subnormals. A number that is too large, and NaN, become the code with all bits but the sign set. It is NaN
/// in all three formats; the inputs made here come nowhere near it.
template <int exponent_bits, int mantissa_bits>
GPUGAUGE_HOST_DEVICE inline std::uint32_t narrowed(float value) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr int least_exponent = 1 - bias;
  constexpr bool has_infinity = !(exponent_bits == 4 && mantissa_bits == 3);
  constexpr std::uint32_t nan = (1U << (exponent_bits + mantissa_bits)) - 1;
  constexpr std::uint32_t beyond = has_infinity ? nan >> mantissa_bits << mantissa_bits : nan;
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t sign = bits >> 31 << (exponent_bits + mantissa_bits);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude < 0x00800000U) return sign;  // fp32 subnormals are below half of every format's least number
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const int kept = exponent < least_exponent ? least_exponent : exponent;
  const int shift = 23 - mantissa_bits + (kept - exponent);
  if (shift > 24) return sign;
  const std::uint32_t significand = (magnitude & 0x7fffffU) | 0x800000U;
  const std::uint32_t half = (1U << (shift - 1)) - 1 + ((significand >> shift) & 1U);
  const std::uint32_t rounded = (significand + half) >> shift;
  // A carry out of the mantissa raises the exponent.
  const std::uint32_t code = (static_cast<std::uint32_t>(kept + bias - 1) << mantissa_bits) + rounded;
  return sign | (exponent > bias + 1 || code >= beyond ? nan : code);
}

/// The value of such bits.
template <int exponent_bits, int mantissa_bits>
GPUGAUGE_HOST_DEVICE inline float widened(std::uint32_t bits) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr std::uint32_t top = (1U << exponent_bits) - 1;
  constexpr bool has_infinity = !(exponent_bits == 4 && mantissa_bits == 3);
  const std::uint32_t sign = bits >> (exponent_bits + mantissa_bits) << 31;
  const std::uint32_t exponent = (bits >> mantissa_bits) & top;
  const std::uint32_t mantissa = bits & ((1U << mantissa_bits) - 1);
  if (exponent == 0) {  // 2^(1 - bias - mantissa_bits) is a normal fp32
    constexpr std::uint32_t least = static_cast<std::uint32_t>(1 - bias - mantissa_bits + 127) << 23;
    return float_of(bits_of(static_cast<float>(mantissa) * float_of(least)) | sign);
  }
  if (has_infinity ? exponent == top : (bits & 0x7fU) == 0x7fU)
    return float_of(sign | 0x7f800000U | (has_infinity && mantissa == 0 ? 0U : 0x400000U));
  return float_of(sign | (exponent + 127 - bias) << 23 | mantissa << (23 - mantissa_bits));
}

/// Element `index` of a buffer as fp64, which holds every value of every type.
GPUGAUGE_HOST_DEVICE inline double load(const void* data, Element type, std::int64_t index) {
  switch (type) {
    case Element::fp64:
      return static_cast<const double*>(data)[index];
    case Element::fp32:
      return static_cast<const float*>(data)[index];
    case Element::fp16:
      return widened<5, 10>(static_cast<const std::uint16_t*>(data)[index]);
    case Element::bf16:
      return to_float(static_cast<const Bf16*>(data)[index]);
    case Element::e4m3:
      return widened<4, 3>(static_cast<const std::uint8_t*>(data)[index]);
    case Element::e5m2:
      return widened<5, 2>(static_cast<const std::uint8_t*>(data)[index]);
    case Element::int8:
      return static_cast<const std::int8_t*>(data)[index];
    case Element::int32:
      return static_cast<const std::int32_t*>(data)[index];
  }
  return 0;
}

/// Uniform in [-1, 1), a multiple of 2^-52.
GPUGAUGE_HOST_DEVICE inline double uniform_fp64(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(static_cast<std::int64_t>(random_bits(seed, index) >> 11) - (1LL << 52)) *
         0x1p-52;
}

/// Input `index` of stream `seed`: uniform in [-1, 1], rounded to the type. For int8 every value is equally
/// likely. int32 is not an input type and becomes 0.
GPUGAUGE_HOST_DEVICE inline void store_uniform(void* data, Element type, std::int64_t index,
                                               std::uint64_t seed) {
  const auto at = static_cast<std::uint64_t>(index);
  switch (type) {
    case Element::fp64:
      static_cast<double*>(data)[index] = uniform_fp64(seed, at);
      return;
    case Element::fp32:
      static_cast<float*>(data)[index] = uniform(seed, at);
      return;
    case Element::fp16:
      static_cast<std::uint16_t*>(data)[index] =
          static_cast<std::uint16_t>(narrowed<5, 10>(uniform(seed, at)));
      return;
    case Element::bf16:
      static_cast<Bf16*>(data)[index] = uniform_bf16(seed, at);
      return;
    case Element::e4m3:
      static_cast<std::uint8_t*>(data)[index] = static_cast<std::uint8_t>(narrowed<4, 3>(uniform(seed, at)));
      return;
    case Element::e5m2:
      static_cast<std::uint8_t*>(data)[index] = static_cast<std::uint8_t>(narrowed<5, 2>(uniform(seed, at)));
      return;
    case Element::int8:
      static_cast<std::int8_t*>(data)[index] =
          static_cast<std::int8_t>(static_cast<std::uint8_t>(random_bits(seed, at) >> 56));
      return;
    case Element::int32:
      static_cast<std::int32_t*>(data)[index] = 0;
      return;
  }
}

/// Relative error that rounding a result to the type may add: at most half a unit in the last place. 0 for
/// types in which the sums are made, because their rounding is part of the tolerance.
GPUGAUGE_HOST_DEVICE constexpr double rounding_of(Element type) {
  switch (type) {
    case Element::fp16:
      return 0x1p-11;
    case Element::bf16:
      return 0x1p-8;
    case Element::e4m3:
      return 0x1p-4;
    case Element::e5m2:
      return 0x1p-3;
    default:
      return 0;
  }
}

/// Error of a value beyond the rounding of its type, over `scale`; 0 within it. Infinity for NaN, or where
/// the value is off although the scale is 0.
GPUGAUGE_HOST_DEVICE inline double relative_error(double value, double reference, double rounding,
                                                  double scale) {
  const double difference = value < reference ? reference - value : value - reference;
  const double magnitude = reference < 0 ? -reference : reference;
  const double off = difference - rounding * magnitude;
  if (off <= 0) return 0;
  const double error = off / scale;
  return error == error ? error : 1e300 * 1e300;
}

}  // namespace gpugauge::kernels
