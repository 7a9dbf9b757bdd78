// What a baseline says of its metrics.
#include <cmath>

#include <gtest/gtest.h>

#include "gate_rounds.hpp"
#include "judge/gate.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

TEST(Calibrate, TakesTheMedianAsCentreAndShrinksSpreadsTowardsEachOther) {
  auto series = quiet_baseline(10);
  // Of one process each, which say nothing beside their rounds (drawn_median_test.cpp).
  for (RoundValues& round : series[0].rounds) round = {.2 + 10 * median(round)};
  const Calibration found = calibrate(series, {});
  std::vector<double> medians;
  for (const RoundValues& round : series[0].rounds) medians.push_back(median(round));
  EXPECT_DOUBLE_EQ(found.scales[0].centre, median(medians));
  EXPECT_LT(found.scales[0].spread, qn(medians));
  EXPECT_GT(found.scales[0].spread, found.scales[1].spread);
  EXPECT_GT(found.scales[0].degrees, qn_worth(10).degrees);
  EXPECT_LE(found.scales[0].degrees, metrics * qn_worth(10).degrees);
  EXPECT_EQ(found.usable, metrics);
  EXPECT_GE(found.contamination, .005);
}

TEST(Calibrate, NeedsFiveRoundsForVerdictsAndTwoForASpread) {
  for (const int rounds : {0, 1, 2, 4, 5}) {
    const Calibration found = calibrate(quiet_baseline(rounds), {});
    EXPECT_EQ(found.scales[0].usable, rounds >= 5) << rounds;
    EXPECT_EQ(found.scales[0].spread > 0, rounds >= 2) << rounds;
    EXPECT_EQ(found.scales[0].minimum_detectable_change > 0, rounds >= 2) << rounds;
  }
}

TEST(Calibrate, CallsAMetricAdvisoryWhenNoiseHidesTwiceTheTolerance) {
  auto series = quiet_baseline(10);
  for (int k = 0; k < 10; ++k) series[0].rounds[static_cast<std::size_t>(k)] = round_values(k, 0, .08, 0);
  const Calibration found = calibrate(series, {});
  EXPECT_TRUE(found.scales[0].advisory);
  EXPECT_GT(found.scales[0].minimum_detectable_change, 2 * gate_tolerance);
  EXPECT_FALSE(found.scales[1].advisory);
}

TEST(Calibrate, TellsWhatUnitsDifferByFromNoise) {
  auto series = quiet_baseline(5, .002);
  const Calibration own = calibrate(series, {});
  for (Series& one : series) one.unit_spread = .01;
  for (int k = 0; k < 5; ++k) series[0].rounds[static_cast<std::size_t>(k)] = round_values(k, 0, .08, 0);
  const Calibration foreign = calibrate(series, {});
  EXPECT_FALSE(own.scales[1].advisory);
  EXPECT_FALSE(own.scales[1].hidden_by_units);
  EXPECT_TRUE(foreign.scales[1].advisory);
  EXPECT_TRUE(foreign.scales[1].hidden_by_units);
  EXPECT_TRUE(foreign.scales[0].advisory);
  EXPECT_FALSE(foreign.scales[0].hidden_by_units) << "noisy by itself";
}

TEST(Calibrate, TakesNormalQuantilesOfWhatIsKnown) {
  auto series = quiet_baseline(5, .001);
  for (Series& one : series) one.unit_spread = .02;
  const Scale found = calibrate(series, {}).scales[1];
  EXPECT_GT(found.degrees, 1e6);
  EXPECT_NEAR(found.ok_quantile, 1.645, .001);
  // The two quantiles of a normal distribution, at an error of .02 sqrt(2) that no number of rounds lessens.
  EXPECT_NEAR(found.minimum_detectable_change, gate_tolerance / 3 + (3.540 + 1.282) * .02 * std::sqrt(2),
              .003);
}

TEST(Calibrate, ValuesThatRepeatExactlyLeaveTheOthersAlone) {
  auto series = quiet_baseline(10);
  for (RoundValues& round : series[0].rounds) round.assign(processes, 1.0);
  const Calibration found = calibrate(series, {});
  EXPECT_GT(found.scales[0].spread, 0);
  EXPECT_FALSE(found.scales[1].advisory);
  const auto results = run_gate(found, [](int m, int) { return m == 0 ? 1.0 : 0.0; });
  EXPECT_EQ(results[1].decision, Decision::ok);
}

TEST(Calibrate, BadRoundsOfTheBaselineAskForMoreEvidence) {
  auto series = quiet_baseline(10, .002);
  for (auto& metric : series) {
    for (double& value : metric.rounds[3]) value += .04;
    for (double& value : metric.rounds[7]) value += .04;
    for (double& value : metric.rounds[8]) value += .04;
  }
  const Calibration clean = calibrate(quiet_baseline(10, .002), {});
  const Calibration found = calibrate(series, {});
  EXPECT_GE(found.contamination, .3);
  EXPECT_LE(found.contamination, .32);
  EXPECT_EQ(clean.last_round, 6);
  EXPECT_GT(found.last_round, 6);
  EXPECT_LE(found.last_round, extended_rounds);
}

TEST(Calibrate, FewerRoundsThatMayBeMeasuredShowLess) {
  GateRules two;
  two.max_rounds = 2;
  const auto series = quiet_baseline(10, .02);
  EXPECT_GT(calibrate(series, two).scales[0].minimum_detectable_change,
            1.2 * calibrate(series, {}).scales[0].minimum_detectable_change);
}

}  // namespace
}  // namespace gpugauge::judge
