// Inputs of collectives whose result every rank can compute alone and exactly, in any order of summation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/support/host_device.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::collective {

/// Largest number of ranks for which the sum of predictable() is below 2^24, so an exact integer in fp32.
inline constexpr int most_ranks = 65'793;

/// Element `index` of rank `rank`'s input: a whole number from 0 to 255.
GPUGAUGE_HOST_DEVICE inline float predictable(std::uint64_t seed, int rank, std::uint64_t index) {
  const std::uint64_t stream = mix64(seed + static_cast<std::uint64_t>(rank) + 1);
  return static_cast<float>(random_bits(stream, index) >> 56);
}

/// What a rank must find in its output. With `sum`, element i is the sum over all ranks of their element base
/// + i. Without it, the output consists of blocks: element i is element base + i % block of rank first_rank +
/// i / block.
struct Expected {
  /// True for a reduction, false for a gathered output.
  bool sum = false;
  /// Number of ranks, 1 to most_ranks.
  int ranks = 1;
  /// The rank whose block comes first.
  int first_rank = 0;
  std::uint64_t block = 1;  ///< elements per block, >= 1
  /// Index in the inputs where this rank's part begins.
  std::uint64_t base = 0;

  /// Element i of the output, for inputs of `seed`. Exact.
  GPUGAUGE_HOST_DEVICE float at(std::uint64_t seed, std::uint64_t i) const {
    if (!sum) return predictable(seed, first_rank + static_cast<int>(i / block), base + i % block);
    float total = 0;
    for (int rank = 0; rank < ranks; ++rank) total += predictable(seed, rank, base + i);
    return total;
  }
};

}  // namespace gpugauge::kernels::collective
