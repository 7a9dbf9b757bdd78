#include "kernels/gemm/tiling.hpp"

#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace {

using namespace gpugauge::kernels::gemm;

TEST(TileOrder, covers_every_tile_once_for_any_grid_and_group) {
  for (const int rows : {1, 2, 7, 8, 9, 17, 32})
    for (const int columns : {1, 3, 8, 33})
      for (const int group : {1, 2, 8, 64}) {
        const TileOrder order{rows, columns, group};
        std::set<std::pair<int, int>> seen;
        for (int block = 0; block < rows * columns; ++block) {
          const Tile tile = order.tile(block);
          ASSERT_TRUE(tile.row >= 0 && tile.row < rows && tile.column >= 0 && tile.column < columns);
          seen.emplace(tile.row, tile.column);
        }
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(rows * columns))
            << rows << "x" << columns << "/" << group;
      }
}

TEST(TileOrder, walks_a_band_column_by_column) {
  const TileOrder order{5, 3, 2};
  const auto place = [&](int block) { return std::pair(order.tile(block).row, order.tile(block).column); };
  EXPECT_EQ(place(0), std::pair(0, 0));
  EXPECT_EQ(place(1), std::pair(1, 0));
  EXPECT_EQ(place(2), std::pair(0, 1));
  EXPECT_EQ(place(6), std::pair(2, 0));
  EXPECT_EQ(place(12), std::pair(4, 0));  // the last band has one row
  EXPECT_EQ(place(13), std::pair(4, 1));
}

TEST(Swizzle, gives_every_chunk_its_own_place_within_the_tile) {
  std::set<int> four;
  for (int row = 0; row < 128; ++row)
    for (int chunk = 0; chunk < 4; ++chunk) four.insert(swizzle_4(row, chunk));
  EXPECT_EQ(four.size(), 512U);
  EXPECT_EQ(*four.begin(), 0);
  EXPECT_EQ(*four.rbegin(), 511);
  std::set<int> sixteen;
  for (int row = 0; row < 32; ++row)
    for (int chunk = 0; chunk < 16; ++chunk) sixteen.insert(swizzle_16(row, chunk));
  EXPECT_EQ(sixteen.size(), 512U);
  EXPECT_EQ(*sixteen.begin(), 0);
  EXPECT_EQ(*sixteen.rbegin(), 511);
}

TEST(Swizzle, puts_eight_consecutive_rows_of_a_chunk_into_eight_bank_groups) {
  for (int first = 0; first < 32; first += 8) {
    for (int chunk = 0; chunk < 4; ++chunk) {
      std::set<int> groups;
      for (int row = first; row < first + 8; ++row) groups.insert(swizzle_4(row, chunk) % 8);
      EXPECT_EQ(groups.size(), 8U);
    }
    for (int chunk = 0; chunk < 16; ++chunk) {
      std::set<int> groups;
      for (int row = first; row < first + 8; ++row) groups.insert(swizzle_16(row, chunk) % 8);
      EXPECT_EQ(groups.size(), 8U);
    }
  }
}

TEST(SampledRow, takes_one_row_of_each_stratum_and_both_ends) {
  for (const std::int64_t rows : {1, 2, 63, 64, 100, 8192}) {
    const std::int64_t samples = samples_for(rows);
    ASSERT_GE(samples, 1);
    ASSERT_LE(samples, rows);
    EXPECT_EQ(sampled_row(0, samples, rows, 5), 0);
    if (samples > 1) {
      EXPECT_EQ(sampled_row(samples - 1, samples, rows, 5), rows - 1);
    }
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      const std::int64_t row = sampled_row(sample, samples, rows, 5);
      EXPECT_GE(row, sample * rows / samples);
      EXPECT_LT(row, (sample + 1) * rows / samples);
    }
  }
}

TEST(SampledRow, leaves_no_tile_of_128_rows_out) {
  for (const std::int64_t rows : {4096, 8192, 20000}) {
    std::set<std::int64_t> tiles;
    for (std::int64_t sample = 0; sample < samples_for(rows); ++sample)
      tiles.insert(sampled_row(sample, samples_for(rows), rows, 9) / 128);
    EXPECT_EQ(tiles.size(), static_cast<std::size_t>((rows + 127) / 128));
  }
}

TEST(SamplesAtOnce, keep_a_launch_short_and_make_progress) {
  EXPECT_EQ(samples_at_once(16384, 16384), 14);
  EXPECT_EQ(samples_at_once(4096, 4096), 238);
  EXPECT_EQ(samples_at_once(64, 64), 1024);
  EXPECT_EQ(samples_at_once(131072, 65536), 1);
}

}  // namespace
