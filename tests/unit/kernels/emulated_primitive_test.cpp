// The device code of the primitives over long arrays, run on the host.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "array.hpp"
#include "collectives.hpp"
#include "emulator.hpp"
#include "kernels/support/uniform.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "kernels/primitive/histogram.cuh"
#include "kernels/primitive/reduce.cuh"
#include "kernels/primitive/scan.cuh"
#include "kernels/primitive/transpose.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;
using emulator::Array;

Array<float> generated(std::size_t count, std::uint64_t seed) {
  return Array<float>(count, [seed](std::size_t i) { return uniform(seed, i); });
}

class Primitive : public testing::TestWithParam<std::size_t> {
 protected:
  static std::size_t count() { return GetParam(); }
};

TEST_P(Primitive, reduce_adds_every_element_once) {
  constexpr unsigned blocks = 3;
  // Small integers: every sum is exact, so that nothing lost or doubled hides in a rounding.
  const Array<float> data(count(), [](std::size_t i) { return static_cast<float>(mix64(i) % 16); });
  double expected = 0;
  for (std::size_t i = 0; i < count(); ++i) expected += static_cast<double>(data[i]);
  const Array<float> partials(blocks);
  unsigned finished = 0;
  for (int repeat = 0; repeat < 2; ++repeat) {
    float sum = -1;
    emulator::launch(blocks, primitive::reduce_threads,
                     [&] { primitive::reduce_kernel(data.get(), count(), partials.get(), &finished, &sum); });
    EXPECT_EQ(static_cast<double>(sum), expected);
    EXPECT_EQ(finished, 0U) << "the next call finds the counter as this one did";
  }
}

TEST_P(Primitive, histogram_counts_every_element_once) {
  const Array<float> data = generated(count(), 5);
  const Array<std::uint32_t> bins(primitive::histogram_bins, [](std::size_t) { return 0; });
  emulator::launch(2, primitive::histogram_threads,
                   [&] { primitive::histogram_kernel(data.get(), count(), bins.get()); });
  std::vector<std::uint32_t> expected(primitive::histogram_bins);
  for (std::size_t i = 0; i < count(); ++i)
    ++expected[static_cast<std::size_t>(std::floor((uniform(5, i) + 1.0) * 128))];
  for (std::size_t bin = 0; bin < expected.size(); ++bin) ASSERT_EQ(bins[bin], expected[bin]) << bin;
}

TEST_P(Primitive, exclusive_scan_gives_every_prefix_sum) {
  const Array<std::uint32_t> from(
      count(), [](std::size_t i) { return static_cast<std::uint32_t>(random_bits(3, i)); });
  const Array<std::uint32_t> to(count());
  const Array<unsigned long long> scratch(primitive::scan_scratch(count()), [](std::size_t) { return 0; });
  emulator::launch(static_cast<unsigned>(scratch.count() - 1), primitive::scan_threads,
                   [&] { primitive::scan_kernel(from.get(), to.get(), count(), scratch.get()); });
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count(); ++i) {
    ASSERT_EQ(to[i], sum) << i;
    sum += from[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, Primitive,
                         testing::Values(1, 3, 4, 5, 127, 4095, 4096, 4097, 13'001, 16'384, 50'001));

// What tile `tile` finds behind it when the states are as given: ('a', sum of the tile) or ('p', its prefix).
std::uint32_t looked_back(const std::vector<std::pair<char, std::uint32_t>>& tiles) {
  const Array<unsigned long long> states(tiles.size() + 1, [&](std::size_t i) {
    if (i == tiles.size()) return 0ULL;
    return (tiles[i].first == 'p' ? primitive::state_prefix : primitive::state_aggregate) | tiles[i].second;
  });
  std::uint32_t found = 0;
  emulator::launch(1, 32, [&] {
    const std::uint32_t sum = primitive::look_back(states.get(), static_cast<std::uint32_t>(tiles.size()));
    if (threadIdx.x == 13) found = sum;
  });
  return found;
}

TEST(LookBack, stops_at_the_nearest_prefix) {
  EXPECT_EQ(looked_back({{'p', 100}}), 100U);
  EXPECT_EQ(looked_back({{'p', 7}, {'p', 100}, {'a', 20}, {'a', 3}}), 123U);
}

TEST(LookBack, goes_on_behind_32_tiles) {
  std::vector<std::pair<char, std::uint32_t>> tiles(100, {'a', 1});
  tiles[0] = {'p', 1000};
  EXPECT_EQ(looked_back(tiles), 1000U + 99);
  tiles[36] = {'p', 5000};  // 63 tiles between it and the one that looks
  EXPECT_EQ(looked_back(tiles), 5000U + 63);
  tiles[68] = {'p', 6000};  // the last of the first 32
  EXPECT_EQ(looked_back(tiles), 6000U + 31);
}

TEST(LookBack, sums_wrap_around_without_touching_the_state) {
  EXPECT_EQ(looked_back({{'p', 0xffffffffU}, {'a', 0xffffffffU}, {'a', 2}}), 0U);
}

TEST(LookBack, waits_for_a_tile_that_has_said_nothing) {
  const Array<unsigned long long> states(3, [](std::size_t) { return 0; });
  std::uint32_t found = 0;
  {
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      store_relaxed(states.get() + 1, primitive::state_aggregate | 5);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      store_relaxed(states.get(), primitive::state_prefix | 30);
    });
    emulator::launch(1, 32, [&] {
      const std::uint32_t sum = primitive::look_back(states.get(), 2);
      if (threadIdx.x == 0) found = sum;
    });
  }
  EXPECT_EQ(found, 35U);
}

struct Extent {
  int rows, columns;
};

class Transpose : public testing::TestWithParam<Extent> {};

TEST_P(Transpose, moves_every_element) {
  const int rows = GetParam().rows;
  const int columns = GetParam().columns;
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  const Array<float> from = generated(count, 3);
  const Array<float> to(count);
  const int row_tiles = (rows - 1) / primitive::transpose_tile_rows + 1;
  const int column_tiles = (columns - 1) / primitive::transpose_tile_columns + 1;
  const auto run = [&](auto kernel) {
    emulator::launch(static_cast<unsigned>(row_tiles * column_tiles), primitive::transpose_threads,
                     [&] { kernel(from.get(), to.get(), rows, columns, row_tiles); });
  };
  if (rows % 4 == 0 && columns % 4 == 0)
    run(primitive::transpose_kernel<4>);
  else
    run(primitive::transpose_kernel<1>);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      ASSERT_EQ(to[static_cast<std::size_t>(c * rows + r)],
                uniform(3, static_cast<std::uint64_t>(r * columns + c)))
          << r << ", " << c;
}

INSTANTIATE_TEST_SUITE_P(Sizes, Transpose,
                         testing::Values(Extent{1, 1}, Extent{4, 4}, Extent{64, 64}, Extent{68, 132},
                                         Extent{65, 63}, Extent{3, 130}, Extent{128, 64}, Extent{132, 260}));

TEST(Bins, are_half_open_and_clamp) {
  EXPECT_EQ(primitive::bin_of(-1), 0);
  EXPECT_EQ(primitive::bin_of(-1 + 0x1p-7F - 0x1p-23F), 0);
  EXPECT_EQ(primitive::bin_of(-1 + 0x1p-7F), 1);
  EXPECT_EQ(primitive::bin_of(0), 128);
  EXPECT_EQ(primitive::bin_of(1 - 0x1p-23F), 255);
  EXPECT_EQ(primitive::bin_of(1), 255);
  EXPECT_EQ(primitive::bin_of(-7), 0);
  EXPECT_EQ(primitive::bin_of(std::nanf("")), 0);
}

TEST(Work, scratch_and_partials_have_the_sizes_stated) {
  EXPECT_EQ(primitive::scan_scratch(0), 1U);
  EXPECT_EQ(primitive::scan_scratch(1), 2U);
  EXPECT_EQ(primitive::scan_scratch(primitive::scan_tile), 2U);
  EXPECT_EQ(primitive::scan_scratch(primitive::scan_tile + 1), 3U);
  EXPECT_EQ(primitive::reduce_partials(132), 1056U);
  // 2^28 elements over 132 * 8 * 256 threads: 993 a thread; 4 + 26 more, and 5 blocks a thread of the last.
  EXPECT_EQ(primitive::reduce_tolerance(1 << 28, 132), (992 + 4 + 26 + 4 + 1) * 0x1p-24);
}

TEST(Work, what_a_sum_may_differ_by_is_less_than_what_a_lost_warp_costs) {
  const std::size_t count = std::size_t{1} << 28;
  const double most = primitive::reduce_error_most(count, 132, 0.5 * static_cast<double>(count));
  EXPECT_NEAR(most, 32 * 0x1p-24 * 0x1p14 * std::sqrt(1027.0), 1e-9);  // 1.0014
  const double warp_share = static_cast<double>(count) / (1056 * 8);
  EXPECT_LT(4 * most, std::sqrt(warp_share / 3) / 20);  // CUB's may differ by four times as much
  EXPECT_LT(4 * most, std::sqrt(static_cast<double>(count) / 3) / 2000);  // 0 is not the sum
  // Few numbers: the rigorous bound is the smaller one.
  EXPECT_EQ(primitive::reduce_error_most(2, 132, 1.0), primitive::reduce_tolerance(2, 132));
  EXPECT_EQ(primitive::reduce_error_most(count, 132, 0.0), 0);
}

}  // namespace
