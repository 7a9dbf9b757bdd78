// Index arithmetic of the matrix products, testable on the host: which block takes which tile, where a
// 16-byte chunk lies in shared memory, which rows are verified.
#pragma once

#include <cstdint>

#include "kernels/support/host_device.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::gemm {

/// A tile's place in the grid of tiles.
struct Tile {
  /// From the top, from 0.
  int row = 0;
  /// From the left, from 0.
  int column = 0;
};

/// The order in which blocks take tiles: bands of `group` rows of tiles, walked column by column. Blocks that
/// run at the same time then share few rows of A and few columns of B, and both stay in L2. The last band is
/// lower when `group` does not divide the rows.
struct TileOrder {
  int rows = 0;     ///< tiles from top to bottom, >= 1
  int columns = 0;  ///< tiles from left to right, >= 1
  int group = 8;    ///< >= 1

  /// The tile of block number `block`, 0 <= block < rows * columns.
  GPUGAUGE_HOST_DEVICE constexpr Tile tile(int block) const {
    const int band_tiles = group * columns;
    const int band = block / band_tiles;
    const int inside = block - band * band_tiles;
    const int first = band * group;
    const int height = rows - first < group ? rows - first : group;
    return Tile{first + inside % height, inside / height};
  }
};

/// Offset, in 16-byte chunks, of chunk `chunk` of row `row` of a tile whose rows hold 4 chunks (64 bytes: 32
/// bf16). Two rows share one 128-byte line across all banks. ldmatrix reads eight consecutive rows at one
/// chunk; they fall into eight different 16-byte bank groups, so there are no bank conflicts.
GPUGAUGE_HOST_DEVICE constexpr int swizzle_4(int row, int chunk) {
  return row * 4 + (chunk ^ ((row >> 1) & 3));
}

/// swizzle_4 for rows of 16 chunks (256 bytes: 128 bf16).
GPUGAUGE_HOST_DEVICE constexpr int swizzle_16(int row, int chunk) {
  return row * 16 + (chunk ^ (row & 7));
}

/// Row that sample `sample` of `samples` verifies, of a matrix of `rows` rows. There is one from each of
/// `samples` equal strata, at a place that `seed` chooses, always including the first and the last row.
/// @pre 1 <= samples <= rows, 0 <= sample < samples
GPUGAUGE_HOST_DEVICE inline std::int64_t sampled_row(std::int64_t sample, std::int64_t samples,
                                                     std::int64_t rows, std::uint64_t seed) {
  if (sample == 0) return 0;
  if (sample == samples - 1) return rows - 1;
  const std::int64_t first = sample * rows / samples;
  const std::int64_t next = (sample + 1) * rows / samples;
  return first + static_cast<std::int64_t>(random_bits(seed, static_cast<std::uint64_t>(sample)) %
                                           static_cast<std::uint64_t>(next - first));
}

/// Number of rows to verify, so that every tile of 128 rows contains at least two of them.
constexpr std::int64_t samples_for(std::int64_t rows) {
  const std::int64_t wanted = (rows + 63) / 64 < 64 ? 64 : (rows + 63) / 64;
  return wanted < rows ? wanted : rows;
}

/// Samples that one launch of a check in fp64 takes, of products with rows of n sums over k. Windows ends what holds a
/// GPU that may draw for two seconds, and fp64 has 1/64 of the rate of fp32 on such GPUs: 4e9 steps take 0.4 s on the
/// slowest of them.
constexpr int samples_at_once(std::int64_t n, std::int64_t k) {
  constexpr std::int64_t steps = 4'000'000'000;
  constexpr std::int64_t most = 1024;
  const std::int64_t fit = steps / (n * k);
  return static_cast<int>(fit < 1 ? 1 : fit < most ? fit : most);
}

}  // namespace gpugauge::kernels::gemm
