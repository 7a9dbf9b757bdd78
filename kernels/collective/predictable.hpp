// Inputs of collectives whose result every rank can work out alone, exactly, in whatever order sums are
// formed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/support/host_device.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::collective {

/// Ranks up to which the sum of predictable() over all ranks is a whole number below 2^24, so exact in fp32.
inline constexpr int most_ranks = 65'793;

/// Element `index` of rank `rank`'s input: a whole number from 0 to 255.
GPUGAUGE_HOST_DEVICE inline float predictable(std::uint64_t seed, int rank, std::uint64_t index) {
  const std::uint64_t stream = mix64(seed + static_cast<std::uint64_t>(rank) + 1);
  return static_cast<float>(random_bits(stream, index) >> 56);
}

/// What a rank must find in its output. With `sum`, element i is the sum over all ranks of their element base
/// + i. Without, the output is made of blocks: element i is rank (first_rank + i / block)'s element base + i
/// % block.
struct Expected {
  /// A reduction; else the output is gathered.
  bool sum = false;
  /// That take part, 1 to most_ranks.
  int ranks = 1;
  /// Whose block comes first.
  int first_rank = 0;
  std::uint64_t block = 1;  ///< elements, >= 1
  /// Of the inputs: where this rank's part begins.
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
