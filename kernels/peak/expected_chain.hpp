// The chains of chains.hpp computed on the host.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "kernels/peak/chains.hpp"
#include "kernels/peak/operands.hpp"

namespace gpugauge::kernels::peak {

/// Rounds a number of magnitude below 65504 to the nearest fp16, ties to even; returned as a double.
inline double rounded_to_fp16(double value) {
  if (value == 0) return value;
  const int exponent = std::max(std::ilogb(value), -14);
  return std::ldexp(std::nearbyint(std::ldexp(value, 10 - exponent)), exponent - 10);
}

/// The bits of a number that fp16 holds exactly, including subnormal ones.
inline std::uint32_t fp16_bits(double value) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0U;
  const double magnitude = std::fabs(value);
  if (magnitude < 0x1p-14) return sign | static_cast<std::uint32_t>(magnitude * 0x1p24);
  const int exponent = std::ilogb(magnitude);
  return sign | (static_cast<std::uint32_t>(exponent + 15) << 10) |
         (static_cast<std::uint32_t>(std::ldexp(magnitude, 10 - exponent)) & 0x3ffU);
}

/// Computes one chain of the lane and folds it into `word` as the device does.
inline std::uint32_t fold_chain(Chain chain, int lane, int index, int steps, std::uint32_t word) {
  const double start = chain_start(lane, index);
  const double offset = chain_offset(lane);
  switch (chain) {
    case Chain::fp64: {
      double x = start;
      for (int i = 0; i < steps; ++i) x = std::fma(x, x, offset);
      std::uint64_t bits = 0;
      std::memcpy(&bits, &x, sizeof bits);
      return fold(fold(word, static_cast<std::uint32_t>(bits >> 32)), static_cast<std::uint32_t>(bits));
    }
    case Chain::fp32: {
      auto x = static_cast<float>(start);
      for (int i = 0; i < steps; ++i) x = std::fma(x, x, static_cast<float>(offset));
      return fold(word, bits_of(x));
    }
    case Chain::fp16x2: {
      // Both halves are chains. A square of an 11-bit number plus the offset is exact in a double.
      std::array<double, 2> x{start, chain_start(lane, index + chains)};
      for (double& half : x)
        for (int i = 0; i < steps; ++i) half = rounded_to_fp16(half * half + offset);
      return fold(word, fp16_bits(x[0]) | fp16_bits(x[1]) << 16);
    }
    case Chain::int32: {
      std::uint32_t x = chain_integer(lane, index);
      for (int i = 0; i < steps; ++i) x = x * chain_factor(lane) + chain_integer(lane, chains);
      return fold(word, x);
    }
    case Chain::dp4a:
      break;
  }
  std::uint32_t x = chain_integer(lane, index);
  const std::uint32_t factor = chain_integer(lane, chains);
  for (int i = 0; i < steps; ++i) x = dot_step(x, factor);
  return fold(word, x);
}

inline std::uint32_t expected_chain_word(Chain chain, int lane, int steps) {
  std::uint32_t word = 0;
  for (int index = 0; index < chains; ++index) word = fold_chain(chain, lane, index, steps, word);
  return word;
}

}  // namespace gpugauge::kernels::peak
