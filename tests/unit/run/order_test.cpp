#include "run/order.hpp"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::run {
namespace {

TEST(Order, HoldsEveryProcessOnce) {
  const auto steps = order(4, 5, 7);
  std::set<std::pair<std::size_t, int>> seen;
  for (const auto& step : steps) seen.insert({step.family, step.index});
  EXPECT_EQ(steps.size(), 20U);
  EXPECT_EQ(seen.size(), 20U);
}

TEST(Order, IsTheSameForTheSameSeed) {
  EXPECT_EQ(order(6, 5, 42), order(6, 5, 42));
}

TEST(Order, DiffersBetweenSeeds) {
  EXPECT_NE(order(6, 5, 42), order(6, 5, 43));
}

TEST(Order, InterleavesFamilies) {
  const auto steps = order(3, 5, 1);
  for (std::size_t round = 0; round < 5; ++round) {
    std::set<std::size_t> families;
    for (std::size_t i = 0; i < 3; ++i) {
      families.insert(steps[round * 3 + i].family);
      EXPECT_EQ(steps[round * 3 + i].index, static_cast<int>(round));
    }
    EXPECT_EQ(families.size(), 3U);
  }
}

TEST(Order, PutsEveryFamilyInEveryPlaceAlikeOften) {
  constexpr int runs = 3000;
  std::vector<int> first(3);
  for (std::uint64_t seed = 0; seed < runs; ++seed) ++first[order(3, 1, seed)[0].family];
  for (const int count : first) EXPECT_NEAR(count, runs / 3.0, 130);  // five standard deviations
}

TEST(Order, OfNothingIsEmpty) {
  EXPECT_TRUE(order(0, 5, 1).empty());
}

/// The standard fixes mt19937_64, and the draws are made without distributions: this is the order on every
/// machine. The expected one was computed by an independent implementation of both.
TEST(Order, IsFixedForever) {
  std::vector<std::size_t> families;
  for (const auto& step : order(4, 2, 1)) families.push_back(step.family);
  EXPECT_THAT(families, ::testing::ElementsAre(1, 2, 3, 0, 0, 2, 1, 3));
}

TEST(ProcessSeed, DiffersBetweenProcessesFamiliesAndRuns) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t seed : {0U, 1U})
    for (const std::string family : {"host", "gemm", "ab", "ba"})
      for (int index = 0; index < 5; ++index) seeds.insert(process_seed(seed, family, index));
  EXPECT_EQ(seeds.size(), 40U);
  EXPECT_EQ(process_seed(1, "host", 0), process_seed(1, "host", 0));
}

}  // namespace
}  // namespace gpugauge::run
