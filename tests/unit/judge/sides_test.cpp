// Two sides, before and after: which level of replication enters, and what may be said.
#include "judge/sides.hpp"

#include <algorithm>
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
  const SidesResult result = one({{{0, .01, -.01}}, {{.10, .11, .09}}, .03}, rules);
  // s_r^2 = 4e-4 / 4 degrees; error = .01 sqrt(1/3 + 1/3)
  const double error = .01 * std::sqrt(2.0 / 3);
  EXPECT_NEAR(result.change, .10, 1e-12);
  EXPECT_NEAR(result.half_width, 2.131846786 * error, 1e-9);  // t[.95, 4]
  EXPECT_NEAR(result.minimum_detectable_change, .01 + (t_quantile(1 - .01 / 50, 4) + 1.533206274) * error,
              1e-8);
  EXPECT_EQ(result.decision, Decision::regressed);
}

TEST(Sides, OneBootASideLeansOnTheAssumption) {
  const SidesResult result = one({{{0, .001, -.001}}, {{.04, .041, .039}}, .03});
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
    const SidesResult result = one({boots(count, 0), boots(count, .06), .03});
    EXPECT_LT(result.minimum_detectable_change, before) << count;
    before = result.minimum_detectable_change;
    EXPECT_NEAR(result.change, .06, 1e-12);
  }
  EXPECT_EQ(one({boots(6, 0), boots(6, .06), .03}).decision, Decision::regressed);
  EXPECT_EQ(one({boots(6, 0), boots(6, 0), .03}).decision, Decision::ok);
  EXPECT_EQ(one({boots(6, 0), boots(6, -.06), .03}).decision, Decision::improved);
}

TEST(Sides, WhatARoundIsMadeOfIsALowerBoundOfItsError) {
  SidesRules rules;
  rules.shared_unit = true;
  const SidesSeries exact{{{0}}, {{.1}}, .03};
  SidesSeries noisy = exact;
  noisy.within_error = .05;
  EXPECT_EQ(one(exact, rules).decision, Decision::regressed);
  EXPECT_EQ(one(noisy, rules).decision, Decision::inconclusive);
}

TEST(Sides, ASideIsTheMeanOfItsBootsHoweverManyRoundsEachHas) {
  // s_r^2 = 8e-4 / 8 degrees of freedom; s_b is pulled from 0 towards 1% and left to the next test. Boots of
  // one and of nine rounds: sum(1/R_i) / B^2 = (1 + 1/9) / 4 on the old side, 1/2 on the new one.
  const Side uneven{{0}, {.01, -.01, .01, -.01, .01, -.01, .01, -.01, 0}};
  const Side even{{.1}, {.1}};
  SidesRules rules;
  rules.assumed_degrees = 1e9;
  SidesSeries series{uneven, even, .03};
  series.assumed_unit_spread = 1e-9;
  const SidesResult result = one(series, rules);
  const double error = .01 * std::sqrt((1 + 1. / 9) / 4 + .5);
  EXPECT_NEAR(result.change, .1, 1e-12);
  EXPECT_NEAR(result.half_width, t_quantile(.95, 8) * error, 1e-6);
}

TEST(Sides, OneProcessOnceOnEachSideLeansOnAnAssumption) {
  // A single number a side, in one boot: nothing says how rounds differ, and 5% is not shown.
  SidesRules rules;
  rules.shared_unit = true;
  const SidesResult result = one({{{0}}, {{.05}}, .03}, rules);
  EXPECT_EQ(result.decision, Decision::inconclusive);
  EXPECT_NEAR(result.half_width, t_quantile(.95, 10) * .02 * std::sqrt(2.0), 1e-12);
  EXPECT_EQ(one({{{0}}, {{.5}}, .03}, rules).decision, Decision::regressed);
}

TEST(Sides, SingleRoundsOfANoisyMachineAreNotCalledRegressed) {
  // 300 comparisons of 40 metrics, one round a side in one boot; rounds differ by 2%. First of one process
  // each, so that the assumption stands in; then of five, which tell it themselves.
  std::mt19937_64 engine(12);
  std::normal_distribution<double> normal;
  SidesRules rules;
  rules.shared_unit = true;
  for (const bool processes : {false, true}) {
    int alarmed = 0;
    for (int night = 0; night < 300; ++night) {
      std::vector<SidesSeries> series;
      series.reserve(40);
      for (int m = 0; m < 40; ++m) {
        SidesSeries metric{{{.02 * normal(engine)}}, {{.02 * normal(engine)}}, .03};
        if (processes) {
          std::chi_squared_distribution<double> chi(6.5);
          metric.within_error = .02 * std::sqrt(chi(engine) / 6.5);
          metric.within_degrees = 6.5;
        }
        series.push_back(metric);
      }
      bool alarm = false;
      for (const SidesResult& result : compare_sides(series, rules))
        alarm = alarm || result.decision == Decision::regressed;
      alarmed += alarm;
    }
    EXPECT_LE(alarmed, 6) << processes;  // 2% of 300
  }
}

TEST(Sides, TailQuantilesAreModeratedAmongThemselves) {
  // Twenty quiet metrics and twenty ten times as noisy ones: in one group the quiet ones borrow noise.
  std::mt19937_64 engine(13);
  std::normal_distribution<double> normal;
  const auto side = [&](double spread) {
    return Side{{spread * normal(engine), spread * normal(engine), spread * normal(engine)}};
  };
  std::vector<SidesSeries> apart;
  apart.reserve(40);
  for (int m = 0; m < 40; ++m) {
    const double spread = m < 20 ? .004 : .04;
    apart.push_back({side(spread), side(spread), .03});
    apart.back().group = m < 20 ? 0 : 2;
  }
  std::vector<SidesSeries> together = apart;
  for (SidesSeries& metric : together) metric.group = 0;
  SidesRules rules;
  rules.shared_unit = true;
  const std::vector<SidesResult> a = compare_sides(apart, rules);
  const std::vector<SidesResult> t = compare_sides(together, rules);
  double sum_apart = 0;
  double sum_together = 0;
  for (std::size_t m = 0; m < 20; ++m) {
    sum_apart += a[m].half_width;
    sum_together += t[m].half_width;
  }
  EXPECT_LT(sum_apart, .9 * sum_together);
}

TEST(Sides, WhatCanBeShownHoldsForEachOfManyMetrics) {
  // Holm's first step over 200 series is alpha / 200, not the gate's alpha / 50.
  SidesRules rules;
  rules.shared_unit = true;
  const std::vector<SidesSeries> many(200, {{{0, .01, -.01}}, {{0, .01, -.01}}, .03});
  const SidesResult result = compare_sides(many, rules).front();
  // All spreads are equal, so that the prior stands alone, worth all their degrees together. Its variance is
  // that of the logarithms' mean: s^2 exp(log(d/2) - digamma(d/2)) with d = 4.
  const double s = .01 * std::sqrt(std::exp(std::log(2.0) - digamma(2.0)));
  const double error = s * std::sqrt(2.0 / 3);
  const double degrees = 200 * 4;
  EXPECT_NEAR(result.minimum_detectable_change,
              .01 + (t_quantile(1 - .01 / 200, degrees) + t_quantile(.9, degrees)) * error, 1e-9);
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
    for (int m = 0; m < 40; ++m) series.push_back({side(), side(), .03});
    bool alarm = false;
    for (const SidesResult& result : compare_sides(series, {}))
      alarm = alarm || result.decision == Decision::regressed;
    alarmed += alarm;
  }
  EXPECT_LE(alarmed, 6);  // 2% of 300; alpha is 1%, the null is a change of tau / 3
}

TEST(Sides, BootsThatDifferMoreThanIsAssumedRaiseNoFalseAlarmAndTheDropThatIsPrintedIsFound) {
  // 40 metrics, 3 rounds a boot; boots differ by 3%, each metric by itself or all together.
  struct Case {
    int boots;
    double own, common;
  };
  for (const Case& boots : {Case{2, .03, 0}, Case{3, .03, 0}, Case{3, 0, .03}, Case{6, .03, 0}}) {
    std::mt19937_64 engine(14);
    std::normal_distribution<double> normal;
    const auto add_boot = [&](std::vector<SidesSeries>& series, Side SidesSeries::*side) {
      const double all = boots.common * normal(engine);
      for (SidesSeries& metric : series) {
        const double boot = all + boots.own * normal(engine);
        (metric.*side).push_back({});
        for (int r = 0; r < 3; ++r) (metric.*side).back().push_back(boot + .005 * normal(engine));
      }
    };
    constexpr int nights = 100;
    int alarmed = 0;
    int found = 0;
    for (int night = 0; night < nights; ++night) {
      std::vector<SidesSeries> series(40);
      for (SidesSeries& metric : series) metric.tolerance = .03;
      for (int b = 0; b < boots.boots; ++b) add_boot(series, &SidesSeries::before);
      for (int b = 0; b < boots.boots; ++b) add_boot(series, &SidesSeries::after);
      const std::vector<SidesResult> healthy = compare_sides(series, {});
      alarmed += std::any_of(healthy.begin(), healthy.end(), [](const SidesResult& result) {
        return result.decision == Decision::regressed;
      });
      for (std::vector<double>& boot : series[0].after)
        for (double& value : boot) value += healthy[0].minimum_detectable_change;
      found += compare_sides(series, {})[0].decision == Decision::regressed;
    }
    EXPECT_LE(alarmed, nights / 50) << boots.boots << " " << boots.common;
    EXPECT_GE(found, nights * 87 / 100) << boots.boots << " " << boots.common;
  }
}

/// `count` metrics of 3 rounds a boot, whose boots differ by `spread`; the same draws whatever that is.
std::vector<SidesSeries> metrics_of_boots(int boots, double spread, int count = 40) {
  std::mt19937_64 engine(15);
  std::normal_distribution<double> normal;
  std::vector<SidesSeries> series(static_cast<std::size_t>(count));
  for (SidesSeries& metric : series) {
    metric.tolerance = .03;
    for (Side* side : {&metric.before, &metric.after})
      for (int b = 0; b < boots; ++b) {
        const double boot = spread * normal(engine);
        side->push_back({boot + .001, boot, boot - .001});
      }
  }
  return series;
}

TEST(Sides, AMetricOfFewerBootsSeesNoMoreThanTheOthersOfItsGroup) {
  // Boots differ by 3%, and one metric was measured in the first of each side only.
  for (const int boots : {2, 3}) {
    std::vector<SidesSeries> series = metrics_of_boots(boots, .03);
    series[0].before.resize(1);
    series[0].after.resize(1);
    const std::vector<SidesResult> results = compare_sides(series, {});
    std::vector<double> others;
    for (std::size_t m = 1; m < results.size(); ++m) others.push_back(results[m].minimum_detectable_change);
    EXPECT_GT(results[0].minimum_detectable_change, median(others)) << boots;
    EXPECT_GT(results[0].half_width, .03) << boots;
  }
}

TEST(Sides, AHairMoreThanIsAssumedBetweenBootsMakesNoCliff) {
  for (const int boots : {2, 3}) {
    double before = 0;
    for (int step = 0; step <= 60; ++step) {
      const double spread = .008 * std::pow(1.01, step);  // .8% to 1.45%
      const double now = compare_sides(metrics_of_boots(boots, spread), {})[7].minimum_detectable_change;
      if (before > 0) {
        EXPECT_LT(now, 1.06 * before) << boots << " " << spread;
      }
      before = now;
    }
  }
}

TEST(Sides, WhatCanBeShownAlsoCounts) {
  SidesRules rules;
  rules.shared_unit = true;
  SidesSeries quiet{{{0, .001, -.001, 0}}, {{0, .001, -.001, 0}}, .01};
  const double shown = one(quiet, rules).minimum_detectable_change;
  quiet.counts_above = .03;
  EXPECT_LT(shown, .03);
  EXPECT_GT(one(quiet, rules).minimum_detectable_change, .03);
}

TEST(Sides, AnEmptySideIsRefused) {
  EXPECT_THROW(one({{}, {{1}}, .03}), std::invalid_argument);
  EXPECT_THROW(one({{{}}, {{1}}, .03}), std::invalid_argument);
}

}  // namespace
}  // namespace gpugauge::judge
