// Operands of the matrix instructions, made so that the result of any number of steps is known exactly.
//
// Every step adds a product of the same A with one of two alternating matrices, B and -B + E. E is +-1 in its
// first row and 0 elsewhere. After `pairs` such pairs the sum is pairs * A E: +-pairs, because A's first
// column is +-1. One more step with B makes it pairs * A E + A B. The operands are as varied as random data,
// yet every partial sum is an exact integer. It is below 2^24, or below 2^12 for 8-bit floats, whose sums the
// Tensor Cores of 9.0 keep to about 14 bits. So nothing is rounded, and a lost or doubled step or a wrong
// product shows.
#pragma once

#include <cstdint>

#include "kernels/support/bf16.hpp"
#include "kernels/support/host_device.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::peak {

/// Element types of A and B.
enum class Element { fp64, tf32, fp16, bf16, fp8_e4m3, int8 };

/// The element types as C++ types, so that a kernel's name shows its elements:
/// peak::mma_peak_kernel<peak::type::bf16>.
namespace type {
/// tf32: 8 bits of exponent, 10 of mantissa, in 32 bits.
struct tf32 {
  static constexpr Element element = Element::tf32;  ///< the type as a value
};
/// IEEE 754 binary16.
struct fp16 {
  static constexpr Element element = Element::fp16;  ///< the type as a value
};
/// bfloat16: 8 bits of exponent, 7 of mantissa.
struct bf16 {
  static constexpr Element element = Element::bf16;  ///< the type as a value
};
/// fp8: 4 bits of exponent, 3 of mantissa.
struct fp8_e4m3 {
  static constexpr Element element = Element::fp8_e4m3;  ///< the type as a value
};
/// Integers from -128 to 127.
struct int8 {
  static constexpr Element element = Element::int8;  ///< the type as a value
};
}  // namespace type

/// Largest magnitude of an element of A or B. The type holds it exactly, also when 1 larger (-B + E).
GPUGAUGE_HOST_DEVICE constexpr int amplitude(Element element) {
  return element == Element::fp8_e4m3 ? 7 : 126;
}

/// Most pairs of steps with an exact result: sums over k <= 32 products, plus one per pair.
GPUGAUGE_HOST_DEVICE constexpr int most_pairs(Element element) {
  return element == Element::fp8_e4m3 ? 2048 : 1 << 20;
}

GPUGAUGE_HOST_DEVICE constexpr int element_bits(Element element) {
  return element == Element::fp64                               ? 64
         : element == Element::tf32                             ? 32
         : element == Element::fp16 || element == Element::bf16 ? 16
                                                                : 8;
}

GPUGAUGE_HOST_DEVICE inline int random_in(int seed, int row, int column, int magnitude) {
  const std::uint64_t bits =
      random_bits(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(row * 4096 + column));
  return static_cast<int>(bits >> 33) % (2 * magnitude + 1) - magnitude;
}

GPUGAUGE_HOST_DEVICE inline int random_sign(int seed, int index) {
  return (random_bits(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(index)) >> 40 & 1) != 0
             ? 1
             : -1;
}

/// A[row, k].
GPUGAUGE_HOST_DEVICE inline int element_a(Element element, int row, int k) {
  return k == 0 ? random_sign(1, row) : random_in(2, row, k, amplitude(element));
}

/// E[0, column].
GPUGAUGE_HOST_DEVICE inline int element_e(int column) {
  return random_sign(3, column);
}

/// B[k, column], or (-B + E)[k, column] for `second`.
GPUGAUGE_HOST_DEVICE inline int element_b(Element element, int k, int column, bool second) {
  const int value = random_in(4, k, column, amplitude(element));
  if (!second) return value;
  return (k == 0 ? element_e(column) : 0) - value;
}

/// The bits of an integer as a float with a sign, `mantissa` stored bits and this exponent bias.
/// @pre the number is exact in that type
GPUGAUGE_HOST_DEVICE constexpr std::uint32_t float_bits(int value, int sign_bit, int mantissa, int bias) {
  if (value == 0) return 0;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value);
  int exponent = 0;
  while (magnitude >> (exponent + 1) != 0) ++exponent;
  const std::uint32_t fraction =
      exponent <= mantissa ? magnitude << (mantissa - exponent) : magnitude >> (exponent - mantissa);
  return (value < 0 ? 1U << sign_bit : 0U) | static_cast<std::uint32_t>(exponent + bias) << mantissa |
         (fraction & ((1U << mantissa) - 1));
}

/// The element as the instruction takes it; fp64 is not handled.
GPUGAUGE_HOST_DEVICE constexpr std::uint32_t encode(Element element, int value) {
  switch (element) {
    case Element::fp16:
      return float_bits(value, 15, 10, 15);
    case Element::bf16:
      return float_bits(value, 15, 7, 127);
    case Element::fp8_e4m3:
      return float_bits(value, 7, 3, 7);
    case Element::int8:
      return static_cast<std::uint32_t>(value) & 0xffU;
    default:
      return float_bits(value, 31, 23, 127);
  }
}

/// C[row, column] after 2 * pairs + 1 steps over `depth` elements along k.
GPUGAUGE_HOST_DEVICE inline int expected_sum(Element element, int row, int column, int depth, int pairs) {
  int sum = pairs * element_a(element, row, 0) * element_e(column);
  for (int k = 0; k < depth; ++k) sum += element_a(element, row, k) * element_b(element, k, column, false);
  return sum;
}

/// Folds one more result into a thread's word; depends on the order and on every bit.
GPUGAUGE_HOST_DEVICE constexpr std::uint32_t fold(std::uint32_t word, std::uint32_t bits) {
  return word * 31 + bits;
}

/// The bits of a result: the sum as fp32, or the integer. No result is -0.
GPUGAUGE_HOST_DEVICE inline std::uint32_t result_bits(Element element, int sum) {
  return element == Element::int8 ? static_cast<std::uint32_t>(sum) : bits_of(static_cast<float>(sum));
}

}  // namespace gpugauge::kernels::peak
