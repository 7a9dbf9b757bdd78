// Scenarios on plain numbers: one baseline of 30 quiet metrics, changes injected into the first of them.
#include "judge/gate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "gate_rounds.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

TEST(Decide, HoweverManyRoundsOfTheBaselineWereALittleSlowThreefoldTimeIsFound) {
  for (const auto& [rounds, slow] : std::vector<std::pair<int, std::vector<std::size_t>>>{
           {9, {3, 4, 5}}, {5, {1, 3}}, {10, {0, 1, 2, 3}}, {20, {1, 4, 7, 10, 13, 16}}}) {
    const Calibration calibration = calibrate(partly_slow(rounds, slow, .015), {});
    const auto results = run_gate(
        calibration, [](int m, int) { return m == 0 ? std::log(3.0) : 0.0; }, .001);
    EXPECT_EQ(results[0].decision, Decision::regressed) << rounds;
    EXPECT_LE(results[0].rounds, calibration.last_round) << rounds;
  }
}

TEST(Decide, ADropThatTheBaselineIsSaidToDetectIsFoundThoughManyOfItsRoundsWereSlow) {
  for (const double by : {.015, .04}) {
    const Calibration calibration = calibrate(partly_slow(5, {1, 3}, by), {});
    EXPECT_GT(calibration.bad_share, null_share) << by;
    const double drop = calibration.scales[0].minimum_detectable_change + .001;
    EXPECT_GT(drop, by) << by;
    const auto results = run_gate(
        calibration, [&](int m, int) { return m == 0 ? drop : 0.0; }, .001);
    EXPECT_EQ(results[0].decision, Decision::regressed) << by;
  }
}

TEST(Decide, AsBadAsTheBaselinesOwnRoundsOftenAreIsNoRegression) {
  const Calibration calibration = calibrate(partly_slow(5, {1, 3}, .04), {});
  const auto results = run_gate(calibration, [](int, int) { return .04; });
  for (const GateResult& result : results) EXPECT_NE(result.decision, Decision::regressed);
}

TEST(Decide, TheSameMachineIsOkInTheFirstRound) {
  const auto results = run_gate(calibrate(quiet_baseline(10), {}), [](int, int) { return 0.0; });
  for (const GateResult& result : results) {
    EXPECT_EQ(result.decision, Decision::ok);
    EXPECT_EQ(result.rounds, 1);
  }
}

TEST(Decide, DropsOfFiveAndTenPercentAreConfirmedInFreshRounds) {
  const Calibration calibration = calibrate(quiet_baseline(10), {});
  for (const double drop : {.05, .10}) {
    const auto results = run_gate(calibration, [&](int m, int) { return m == 0 ? drop : 0.0; });
    EXPECT_EQ(results[0].decision, Decision::regressed) << drop;
    EXPECT_GE(results[0].rounds, 2) << drop;
    EXPECT_NEAR(results[0].change, drop, .01) << drop;
    for (std::size_t m = 1; m < results.size(); ++m) EXPECT_EQ(results[m].decision, Decision::ok) << m;
  }
}

TEST(Decide, ADropOfExactlyTheToleranceIsHardlyEverCalledOk) {
  const auto results = run_gate(calibrate(quiet_baseline(10), {}), [](int, int) { return gate_tolerance; });
  const auto called_ok = std::count_if(results.begin(), results.end(), [](const GateResult& result) {
    return result.decision == Decision::ok;
  });
  EXPECT_LE(called_ok, metrics / 8);
}

TEST(Decide, HalfSpeedIsFoundInRoundTwo) {
  const auto results = run_gate(calibrate(quiet_baseline(10), {}), [](int, int) { return std::log(2.0); });
  for (const GateResult& result : results) {
    EXPECT_EQ(result.decision, Decision::regressed);
    EXPECT_EQ(result.rounds, 2);
  }
}

TEST(Decide, EveryRoundThatMayBeHasItsShareOfAlpha) {
  Series series;
  series.tolerance = .03;
  for (int k = 0; k < 10; ++k) series.rounds.push_back({.001 * (k - 4.5)});
  Calibration calibration = calibrate(std::vector<Series>{series}, {});
  const Scale& scale = calibration.scales[0];
  // Between .01 / 7 and .01 / 5: enough where six rounds are the most, too little where it is eight.
  const double error = scale.spread * std::sqrt(1 + median_variance_factor(10));
  const double second = scale.centre + .01 + t_quantile(1 - .0017, scale.degrees) * error;
  const std::vector<std::vector<RoundValues>> now{{{.5}, {second}}};
  ASSERT_EQ(calibration.last_round, 6);
  EXPECT_EQ(decide(calibration, now, {})[0].decision, Decision::regressed);
  calibration.last_round = extended_rounds;
  EXPECT_EQ(decide(calibration, now, {})[0].decision, Decision::inconclusive);
}

TEST(Decide, OneBadRoundIsForgottenByAFreshOne) {
  const auto results = run_gate(calibrate(quiet_baseline(10), {}),
                                [](int m, int round) { return m == 0 && round == 1 ? .05 : 0.0; });
  EXPECT_EQ(results[0].decision, Decision::ok);
  EXPECT_GE(results[0].rounds, 2);
}

TEST(Decide, AFirstRoundFarOutIsOutvotedByTwoFreshOnes) {
  const auto results = run_gate(calibrate(quiet_baseline(10), {}),
                                [](int m, int round) { return m == 0 && round == 1 ? 1.0 : 0.0; });
  EXPECT_EQ(results[0].decision, Decision::ok);
  EXPECT_EQ(results[0].rounds, 3);
  // What is said of it is what the rounds that count say, not a mean with the one that does not.
  EXPECT_LT(results[0].change + results[0].half_width, .03);
  ASSERT_TRUE(results[0].left_out.has_value());
  EXPECT_GT(*results[0].left_out, .9);
  EXPECT_FALSE(results[1].left_out.has_value());
}

TEST(Decide, ARoundFarOutIsNoRegressionWhereTheMiddleRoundHolds) {
  // Rounds of a shared cache's p99: somewhat worse, as ever, as ever, and one seven times as slow.
  static constexpr double shifts[] = {.012, .02, .005, .0, .015, 1.9};
  const auto results = run_gate(calibrate(quiet_baseline(10), {}), [&](int m, int round) {
    return m != 0 ? 0.0 : round <= 6 ? shifts[round - 1] : 0.03;
  });
  EXPECT_NE(results[0].decision, Decision::regressed);
}

TEST(Decide, TheMiddleRoundIsToldBesideTheMean) {
  constexpr double shifts[] = {.1, .1, .1, .7};
  Calibration calibration = calibrate(quiet_baseline(10), {});
  calibration.contamination = .1;  // so that four bad rounds are needed
  std::vector<std::vector<RoundValues>> now(metrics);
  for (const double shift : shifts) now[0].push_back(RoundValues(processes, shift));
  for (std::size_t m = 1; m < now.size(); ++m)
    now[m].push_back(round_values(30, static_cast<int>(m), .005, 0));
  const GateResult found = decide(calibration, now, {})[0];
  EXPECT_EQ(found.decision, Decision::regressed);
  EXPECT_NEAR(found.change, .3, .01);
  EXPECT_NEAR(found.typical, .1, .01);
}

TEST(Decide, OneBadProcessInARoundChangesNothing) {
  const Calibration calibration = calibrate(quiet_baseline(10), {});
  std::vector<std::vector<RoundValues>> now(metrics);
  for (int m = 0; m < metrics; ++m) now[static_cast<std::size_t>(m)].push_back(round_values(30, m, .005, 0));
  now[0][0][2] += .5;
  EXPECT_EQ(decide(calibration, now, {})[0].decision, Decision::ok);
}

TEST(Decide, AFasterMetricIsImprovedAfterConfirmationAndNeverRegressed) {
  const auto results =
      run_gate(calibrate(quiet_baseline(10), {}), [](int m, int) { return m == 0 ? -.2 : 0.0; });
  EXPECT_EQ(results[0].decision, Decision::improved);
  EXPECT_GE(results[0].rounds, 2);
  EXPECT_LT(results[0].change, -.15);
}

TEST(Decide, TwoModesAreUnstableEvenWhereTheMedianHolds) {
  const Calibration calibration = calibrate(quiet_baseline(10), {});
  std::vector<std::vector<RoundValues>> now(metrics);
  for (int m = 0; m < metrics; ++m) now[static_cast<std::size_t>(m)].push_back(round_values(30, m, .005, 0));
  const RoundValues two_modes{-.5, -.48, 0, 0.001, .002};
  now[0][0] = two_modes;
  const auto first = decide(calibration, now, {});
  EXPECT_TRUE(first[0].again) << "one odd round is looked at again";
  now[0].push_back(two_modes);
  EXPECT_EQ(decide(calibration, now, {})[0].decision, Decision::unstable);
  now[0][1] = round_values(31, 0, .005, 0);
  now[0].push_back(round_values(32, 0, .005, 0));
  EXPECT_NE(decide(calibration, now, {})[0].decision, Decision::regressed);
}

/// Every metric as in the baseline, the first one by `shifts` worse round by round; all measured in each.
std::vector<std::vector<RoundValues>> all_rounds(const std::vector<double>& shifts) {
  std::vector<std::vector<RoundValues>> now(metrics);
  for (std::size_t j = 0; j < shifts.size(); ++j)
    for (int m = 0; m < metrics; ++m)
      now[static_cast<std::size_t>(m)].push_back(
          round_values(30 + static_cast<int>(j), m, .005, m == 0 ? shifts[j] : 0));
  return now;
}

TEST(Decide, ADecidedMetricIsDecidedAnewByWhatIsMeasuredForAnothersSake) {
  const Calibration calibration = calibrate(quiet_baseline(10), {});
  const auto decided = [&](const std::vector<double>& shifts) {
    return decide(calibration, all_rounds(shifts), {});
  };
  const GateResult worse = decided({0, .4, .4, .4})[0];
  EXPECT_EQ(worse.decision, Decision::regressed);
  EXPECT_NEAR(worse.change, .4, .01);
  EXPECT_EQ(decided({-.3, -.3, .4, .4, .4})[0].decision, Decision::regressed) << "it was improved";
  const GateResult doubted = decided({0, .4})[0];
  EXPECT_EQ(doubted.decision, Decision::inconclusive);
  EXPECT_TRUE(doubted.again);
  EXPECT_EQ(decided({0, 0, 0, 0, 0, 0.3})[0].decision, Decision::inconclusive) << "for good";
  for (const GateResult& result : decided({0, 0, 0, 0})) {
    EXPECT_EQ(result.decision, Decision::ok);
    EXPECT_EQ(result.rounds, 4);
  }
  EXPECT_EQ(decided({.4, .4, 0, 0, 0, 0})[0].decision, Decision::regressed) << "what counts stays";
}

TEST(Decide, WhetherARegressionCountsIsMeasuredAndNotLeftToOneRound) {
  Calibration calibration = calibrate(quiet_baseline(10), {});
  calibration.scales[0].counts_above = .06;
  const auto decided = [&](const std::vector<double>& shifts) {
    std::vector<std::vector<RoundValues>> now = all_rounds(shifts);
    for (std::size_t j = 0; j < shifts.size(); ++j)
      now[0][j] = RoundValues(processes, calibration.scales[0].centre + shifts[j]);
    return decide(calibration, now, {})[0];
  };
  // The round that shows it lies below what counts, the one before it did not.
  const GateResult open = decided({.12, .055});
  EXPECT_EQ(open.decision, Decision::inconclusive);
  EXPECT_TRUE(open.worse);
  EXPECT_TRUE(open.again);
  const GateResult counted = decided({.12, .055, .12});
  EXPECT_EQ(counted.decision, Decision::regressed);
  EXPECT_GT(std::min(counted.change, counted.typical), .06);
  // Nor to one that lies high: of two fresh rounds it carries the middle, too.
  EXPECT_TRUE(decided({.05, .05, .3}).worse);
  EXPECT_TRUE(decided({.05, .3, .05}).again);
  EXPECT_LT(decided({.05, .3, .05, .05, .05, .05}).typical, .06);
  // So near to it that only the last round ends it.
  EXPECT_TRUE(decided({.0585, .0585, .0585}).again);
  const GateResult last = decided({.0585, .0585, .0585, .0585, .0585, .0585});
  EXPECT_EQ(last.decision, Decision::regressed);
  EXPECT_FALSE(last.worse);
  EXPECT_LT(last.change, .06);
  // Far below it: decided at once, and anew where more was measured.
  EXPECT_EQ(decided({.035, .035}).decision, Decision::regressed);
  EXPECT_GT(decided({.035, .035, .12, .12, .12}).change, .06);
}

TEST(Decide, ANoisyMetricAsksForNoRoundUntilItStandsOutOfItsNoise) {
  auto series = quiet_baseline(10);
  for (int k = 0; k < 10; ++k) series[0].rounds[static_cast<std::size_t>(k)] = round_values(k, 0, .08, 0);
  const Calibration calibration = calibrate(series, {});
  const double hidden = calibration.scales[0].minimum_detectable_change / 4;
  std::vector<std::vector<RoundValues>> now(metrics);
  for (int m = 0; m < metrics; ++m) now[static_cast<std::size_t>(m)].push_back(round_values(30, m, .005, 0));
  now[0][0] = RoundValues(processes, calibration.scales[0].centre + hidden);
  const GateResult quiet = decide(calibration, now, {})[0];
  EXPECT_EQ(quiet.decision, Decision::inconclusive);
  EXPECT_FALSE(quiet.again);
  const double loud = 2 * calibration.scales[0].minimum_detectable_change;
  now[0][0] = RoundValues(processes, calibration.scales[0].centre + loud);
  EXPECT_TRUE(decide(calibration, now, {})[0].again);
  now[0].push_back(now[0][0]);
  now[0].push_back(now[0][0]);
  EXPECT_EQ(decide(calibration, now, {})[0].decision, Decision::regressed);
}

TEST(Decide, ASmallBaselineDecidesNothingAndAsksForNothing) {
  const auto results = run_gate(calibrate(quiet_baseline(4), {}), [](int, int) { return 1.0; });
  for (const GateResult& result : results) {
    EXPECT_EQ(result.decision, Decision::inconclusive);
    EXPECT_FALSE(result.again);
    EXPECT_EQ(result.rounds, 1);
  }
}

TEST(Decide, EndsInconclusiveAtTheLastRound) {
  constexpr double noise = .02;
  const Calibration calibration = calibrate(quiet_baseline(10, noise), {});
  const auto results = run_gate(
      calibration, [](int m, int) { return m == 0 ? gate_tolerance : 0.0; }, noise);
  EXPECT_EQ(results[0].decision, Decision::inconclusive);
  EXPECT_EQ(results[0].rounds, calibration.last_round);
  EXPECT_FALSE(results[0].again);
}

TEST(Decide, AMetricThatIsNeverMeasuredIsNotAskedForAndOtherSizesAreRefused) {
  const Calibration calibration = calibrate(quiet_baseline(10), {});
  std::vector<std::vector<RoundValues>> now(metrics, {round_values(30, 0, .005, 0)});
  now[0] = {RoundValues{}};
  EXPECT_FALSE(decide(calibration, now, {})[0].again);
  now.pop_back();
  EXPECT_THROW(decide(calibration, now, {}), std::invalid_argument);
}

TEST(UnitSpread, IsAddedOnceAndNoRoundLessensIt) {
  Series own;
  own.tolerance = .03;
  for (int k = 0; k < 10; ++k) own.rounds.push_back({.001 * (k % 3)});
  Series foreign = own;
  foreign.unit_spread = .02;
  const auto seen = [](const Series& series, std::size_t rounds) {
    const Calibration calibration = calibrate(std::vector<Series>{series}, {});
    const std::vector<std::vector<RoundValues>> now{std::vector<RoundValues>(rounds, RoundValues{.04})};
    return std::pair(decide(calibration, now, {}).front().half_width / calibration.scales.front().ok_quantile,
                     calibration.scales.front().minimum_detectable_change);
  };
  EXPECT_GE(seen(foreign, 6).first, .02 * std::sqrt(2.0));
  EXPECT_GT(seen(foreign, 2).second, 2 * seen(own, 2).second);
  EXPECT_LT(seen(own, 2).first, .01);
}

}  // namespace
}  // namespace gpugauge::judge
