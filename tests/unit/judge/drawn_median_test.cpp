#include "judge/drawn_median.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "judge/gate.hpp"
#include "judge/peers.hpp"

namespace gpugauge::judge {
namespace {

TEST(DrawnMedian, IsExactOfTwoModes) {
  // Two of five values are 1: three or more of five draws are 1 with 10 (.4)^3 (.6)^2 + 5 (.4)^4 .6 + (.4)^5.
  const double slow = 10 * .064 * .36 + 5 * .0256 * .6 + .01024;
  EXPECT_NEAR(drawn_median_variance({0, 1, 0, 1, 0}, 5), slow * (1 - slow), 1e-12);
  EXPECT_NEAR(drawn_median_variance({7, 8, 7, 8, 7}, 5), slow * (1 - slow), 1e-12);
}

TEST(DrawnMedian, OfOneDrawIsTheVarianceOfTheValues) {
  EXPECT_NEAR(drawn_median_variance({1, 2, 3, 6}, 1), 3.5, 1e-12);
  EXPECT_NEAR(drawn_median_variance({1, 2, 3, 6}, 2), 3.5, 1e-12) << "an even count as one less";
}

TEST(DrawnMedian, OneValueFarOutHardlyMovesIt) {
  std::vector<double> values(20, 0);
  values[0] = 1;
  EXPECT_LT(std::sqrt(drawn_median_variance(values, 5)), .04);
}

TEST(DrawnMedian, OfEqualValuesIsNone) {
  EXPECT_EQ(drawn_median_variance({.5, .5, .5}, 3), 0);
  EXPECT_THROW(drawn_median_variance({}, 3), std::invalid_argument);
  EXPECT_THROW(drawn_median_variance({1}, 0), std::invalid_argument);
}

/// Rounds of five processes, so many of them 30% slower; the others spread by .2%.
std::vector<RoundValues> rounds_with(const std::vector<int>& slow_processes) {
  std::vector<RoundValues> out;
  for (const int slow : slow_processes) {
    RoundValues round;
    for (int p = 0; p < 5; ++p) round.push_back((p < slow ? .3 : 0) + .001 * ((p * 7 + slow) % 5 - 2));
    out.push_back(round);
  }
  return out;
}

Scale scale_of(const std::vector<int>& slow_processes) {
  Series series;
  series.tolerance = .05;
  series.rounds = rounds_with(slow_processes);
  return calibrate(std::vector<Series>{series}, {}).scales[0];
}

TEST(DrawnMedian, AMetricWithTwoModesSpreadsByTheirDistance) {
  // 40% of the processes are slow, and one round of ten: Qn of the rounds sees the other nine.
  const Scale scale = scale_of({2, 2, 1, 2, 3, 2, 2, 2, 2, 2});
  EXPECT_GT(scale.spread, .1);
  EXPECT_TRUE(scale.advisory);
}

TEST(DrawnMedian, ARoundThatIsSlowAsAWholeIsNoMode) {
  EXPECT_LT(scale_of({0, 0, 0, 5, 0, 0, 0, 0, 0, 0}).spread, .01);
}

TEST(DrawnMedian, OneSlowProcessInTenIsNoMode) {
  EXPECT_LT(scale_of({0, 1, 0, 1, 0, 1, 0, 1, 0, 1}).spread, .03);
}

TEST(DrawnMedian, TheNextRoundThatHoldsMoreOfTheSlowModeIsNoRegression) {
  Series series;
  series.tolerance = .05;
  series.rounds = rounds_with({2, 2, 1, 2, 2, 1, 2, 2, 2, 1});
  const Calibration calibration = calibrate(std::vector<Series>{series}, {});
  const std::vector<std::vector<RoundValues>> now{rounds_with({3, 3, 3, 4, 3, 3})};
  EXPECT_NE(decide(calibration, now, {})[0].decision, Decision::regressed);
}

TEST(DrawnMedian, NodesInTheSlowModeAreNoSuspects) {
  PeerMetric metric;
  metric.tolerance = .05;
  for (int n = 0; n < 8; ++n) metric.values.push_back(n == 3 ? .3 : .001 * (n % 3));
  EXPECT_FALSE(screen_peers(std::vector<PeerMetric>{metric}, {}).suspects.empty());
  metric.by_chance = .14;
  EXPECT_TRUE(screen_peers(std::vector<PeerMetric>{metric}, {}).suspects.empty());
}

}  // namespace
}  // namespace gpugauge::judge
