// How kernels compare, run by the emulator: what is wrong is found, and only a comparison of everything is
// complete.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "collectives.hpp"
#include "emulator.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "kernels/support/comparison.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using gpugauge::kernels::Comparison;

constexpr std::size_t count = 1000;
constexpr unsigned threads = 64;

Comparison begun(std::size_t elements) {
  Comparison comparison;
  comparison.elements = elements;
  return comparison;
}

Comparison exactly(std::vector<int> values, unsigned blocks) {
  Comparison comparison = begun(values.size());
  const auto right = [&](std::size_t i) { return values[i] == 7; };
  emulator::launch(blocks, threads,
                   [&] { gpugauge::kernels::compare_kernel(values.size(), right, &comparison); });
  return comparison;
}

Comparison errors(const std::vector<double>& values) {
  Comparison comparison = begun(values.size());
  emulator::launch(1, threads, [&] {
    gpugauge::kernels::Tally tally;
    for (std::size_t i = threadIdx.x; i < values.size(); i += threads) tally.error(values[i]);
    tally.hand_in(&comparison);
  });
  return comparison;
}

TEST(Comparison, that_never_ran_is_not_complete) {
  EXPECT_FALSE(Comparison{}.complete());
  EXPECT_FALSE(begun(1).complete());
  EXPECT_FALSE(begun(0).complete()) << "nothing was to be compared: that proves nothing";
}

TEST(Comparison, comes_to_every_element_once) {
  for (const unsigned blocks : {1U, 3U, 40U}) {
    const Comparison all = exactly(std::vector<int>(count, 7), blocks);
    EXPECT_TRUE(all.complete()) << blocks;
    EXPECT_EQ(all.compared, count) << blocks;
    EXPECT_EQ(all.wrong, 0U) << blocks;
  }
}

TEST(Comparison, counts_every_wrong_element) {
  std::vector<int> values(count, 7);
  for (const std::size_t i : {std::size_t{0}, std::size_t{63}, std::size_t{64}, count - 1}) values[i] = 8;
  const Comparison some = exactly(values, 3);
  EXPECT_TRUE(some.complete());
  EXPECT_EQ(some.wrong, 4U);
}

TEST(Comparison, keeps_the_largest_error) {
  std::vector<double> values(count, 1e-9);
  EXPECT_EQ(errors(values).error, 1e-9);
  values[777] = 0.25;
  EXPECT_EQ(errors(values).error, 0.25);
  EXPECT_TRUE(errors(values).complete());
  EXPECT_EQ(errors(std::vector<double>(count, 0)).error, 0);
}

TEST(Comparison, takes_what_is_no_number_for_infinity) {
  for (const std::size_t place : {std::size_t{0}, std::size_t{500}, count - 1}) {
    std::vector<double> values(count, 0.5);
    values[place] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(errors(values).error, HUGE_VAL) << place;
  }
}

TEST(Comparison, half_of_which_was_run_is_not_complete) {
  Comparison comparison = begun(2 * count);
  emulator::launch(2, threads, [&] {
    gpugauge::kernels::compare_kernel(
        count, [](std::size_t) { return true; }, &comparison);
  });
  EXPECT_FALSE(comparison.complete());
  EXPECT_EQ(comparison.wrong, 0U);
}

}  // namespace
