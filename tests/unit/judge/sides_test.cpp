// Two sides, before and after: which level of replication enters, and what may be said.
#include "judge/sides.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

SidesResult one(const SidesSeries& series, const SidesRules& rules = {}) {
  return compare_sides(std::vector<SidesSeries>{series}, rules).front();
}

TEST(Sides, WithinOneBootTheRoundIsTheUnit) {
  SidesRules rules;
  rules.shared_unit = true;
  const SidesResult result = one({{{0, .01, -.01}}, {{.10, .11, .09}}, .03, 0}, rules);
  // s_r^2 = 4e-4 / 4 degrees; error = .01 sqrt(1/3 + 1/3)
  const double error = .01 * std::sqrt(2.0 / 3);
  EXPECT_NEAR(result.change, .10, 1e-12);
  EXPECT_NEAR(result.half_width, 2.131846786 * error, 1e-9);  // t[.95, 4]
  EXPECT_NEAR(result.minimum_detectable_change, .01 + (t_quantile(1 - .01 / 50, 4) + 1.533206274) * error,
              1e-8);
  EXPECT_EQ(result.decision, Decision::regressed);
}

TEST(Sides, OneBootASideLeansOnTheAssumption) {
  const SidesResult result = one({{{0, .001, -.001}}, {{.04, .041, .039}}, .03, 0});
  // Rounds repeat to .1%, and yet: boots are assumed to differ by 1%, so that 4% is not shown.
  EXPECT_GT(result.half_width, t_quantile(.95, 11) * .01 * std::sqrt(2.0) * .99);
  EXPECT_EQ(result.decision, Decision::inconclusive);
  EXPECT_GT(result.minimum_detectable_change, .08);
}

TEST(Sides, MoreBootsSeeSmallerDrops) {
  const auto boots = [](int count, double shift) {
    Side side;
    for (int b = 0; b < count; ++b) side.push_back({shift + .002 * (b % 2), shift + .001 + .002 * (b % 2)});
    return side;
  };
  double before = 1;
  for (const int count : {1, 2, 3, 6}) {
    const SidesResult result = one({boots(count, 0), boots(count, .06), .03, 0});
    EXPECT_LT(result.minimum_detectable_change, before) << count;
    before = result.minimum_detectable_change;
    EXPECT_NEAR(result.change, .06, 1e-12);
  }
  EXPECT_EQ(one({boots(6, 0), boots(6, .06), .03, 0}).decision, Decision::regressed);
  EXPECT_EQ(one({boots(6, 0), boots(6, 0), .03, 0}).decision, Decision::ok);
  EXPECT_EQ(one({boots(6, 0), boots(6, -.06), .03, 0}).decision, Decision::improved);
}

TEST(Sides, WhatARoundIsMadeOfIsALowerBoundOfItsError) {
  SidesRules rules;
  rules.shared_unit = true;
  const SidesSeries exact{{{0}}, {{.1}}, .03, 0};
  SidesSeries noisy = exact;
  noisy.within_error = .05;
  EXPECT_EQ(one(exact, rules).decision, Decision::regressed);
  EXPECT_EQ(one(noisy, rules).decision, Decision::inconclusive);
}

TEST(Sides, HealthySidesAreNotCalledRegressed) {
  // 300 comparisons of 40 metrics, 3 boots of 3 rounds a side, boots differing by 1%, rounds by .5%.
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  const auto side = [&] {
    Side out;
    for (int b = 0; b < 3; ++b) {
      const double boot = .01 * normal(engine);
      out.push_back(
          {boot + .005 * normal(engine), boot + .005 * normal(engine), boot + .005 * normal(engine)});
    }
    return out;
  };
  int alarmed = 0;
  for (int night = 0; night < 300; ++night) {
    std::vector<SidesSeries> series;
    series.reserve(40);
    for (int m = 0; m < 40; ++m) series.push_back({side(), side(), .03, 0});
    bool alarm = false;
    for (const SidesResult& result : compare_sides(series, {}))
      alarm = alarm || result.decision == Decision::regressed;
    alarmed += alarm;
  }
  EXPECT_LE(alarmed, 6);  // 2% of 300; alpha is 1%, the null is a change of tau / 3
}

TEST(Sides, AnEmptySideIsRefused) {
  EXPECT_THROW(one({{}, {{1}}, .03, 0}), std::invalid_argument);
  EXPECT_THROW(one({{{}}, {{1}}, .03, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace gpugauge::judge
