#include "judge/peers.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::IsEmpty;

/// `count` metrics over `nodes` nodes that differ by `spread`.
std::vector<PeerMetric> fleet(std::size_t nodes, double spread = .005, std::size_t count = 20) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  std::vector<PeerMetric> out(count);
  for (PeerMetric& metric : out) {
    metric.tolerance = .03;
    for (std::size_t n = 0; n < nodes; ++n) metric.values.push_back(-7 + spread * normal(engine));
  }
  return out;
}

TEST(ScreenPeers, ClearsAHealthyFleetAndFindsTheSlowNode) {
  std::vector<PeerMetric> metrics = fleet(40);
  EXPECT_THAT(screen_peers(metrics, {}).suspects, IsEmpty());
  metrics[3].values[17] += .10;
  const PeerScreen screen = screen_peers(metrics, {});
  ASSERT_EQ(screen.suspects.size(), 1U);
  EXPECT_EQ(screen.suspects[0].metric, 3U);
  EXPECT_EQ(screen.suspects[0].node, 17U);
  EXPECT_TRUE(screen.suspects[0].rejected);
  EXPECT_NEAR(screen.suspects[0].change, .10, .02);
  EXPECT_LT(screen.suspects[0].p, 1e-6);
  EXPECT_NEAR(screen.scales[3].centre, -7, .003);
  EXPECT_NEAR(screen.scales[3].spread, .005, .002);
}

TEST(ScreenPeers, LeavesAloneWhatIsFasterOrWithinTolerance) {
  std::vector<PeerMetric> metrics = fleet(40, .001);
  metrics[0].values[0] -= .2;
  metrics[1].values[1] += .025;
  EXPECT_THAT(screen_peers(metrics, {}).suspects, IsEmpty());
}

TEST(ScreenPeers, NeedsEightNodesOfWhichOneMayLackAMetricAndPassesOverWhatWasNotMeasured) {
  std::vector<PeerMetric> metrics = fleet(8);
  metrics[0].values[2] = metrics[0].values[3] = std::numeric_limits<double>::quiet_NaN();
  metrics[1].values[2] += .3;
  metrics[2].values[2] = std::numeric_limits<double>::quiet_NaN();
  const PeerScreen screen = screen_peers(metrics, {});
  EXPECT_FALSE(screen.scales[0].usable);
  EXPECT_EQ(screen.scales[0].nodes, 6);
  EXPECT_TRUE(screen.scales[2].usable) << "7 of 8";
  for (const PeerScale& scale : peer_scales(fleet(7), {})) EXPECT_FALSE(scale.usable);
  ASSERT_EQ(screen.suspects.size(), 1U);
  EXPECT_EQ(screen.suspects[0].metric, 1U);
}

TEST(ScreenPeers, WarnsAmongFewNodesOfWhatLiesFarOutWhateverTheTestSays) {
  struct Case {
    std::size_t nodes;
    double errors;  ///< by which the node lies out; its own value then widens the spread by a quarter
    bool said;
  };
  for (const auto& [nodes, errors, said] : {Case{12, 7.5, true}, Case{12, 5, false}, Case{20, 7.5, false}}) {
    // Spreads that have nothing in common: none borrows from another, and a test of few nodes tells little.
    std::vector<PeerMetric> metrics;
    for (int m = 0; m < 150; ++m) metrics.push_back(fleet(nodes, .003 * std::pow(1.35, m % 16), 1).front());
    const PeerScale before = peer_scales(metrics, {})[8];
    metrics[8].values[0] = before.centre + errors * before.spread *
                                               std::sqrt(1 + median_variance_factor(static_cast<int>(nodes)));
    bool found = false;
    for (const PeerSuspect& suspect : screen_peers(metrics, {}).suspects)
      found = found || (suspect.metric == 8 && suspect.node == 0 && !suspect.rejected);
    EXPECT_EQ(found, said) << nodes << " nodes, " << errors << " standard errors";
  }
}

TEST(PeerScales, TailsAreModeratedAmongThemselves) {
  std::vector<PeerMetric> metrics = fleet(12, .005);
  std::vector<PeerMetric> tails = fleet(12, .05);
  for (PeerMetric& tail : tails) tail.group = 1;
  const std::vector<PeerScale> alone = peer_scales(metrics, {});
  metrics.insert(metrics.end(), tails.begin(), tails.end());
  const std::vector<PeerScale> beside = peer_scales(metrics, {});
  for (std::size_t m = 0; m < alone.size(); ++m) {
    EXPECT_EQ(beside[m].spread, alone[m].spread) << m;
    EXPECT_EQ(beside[m].degrees, alone[m].degrees) << m;
  }
}

TEST(ScreenPeers, RefusesMetricsOverDifferentNodes) {
  std::vector<PeerMetric> metrics = fleet(10);
  metrics[1].values.pop_back();
  EXPECT_THROW(screen_peers(metrics, {}), std::invalid_argument);
  EXPECT_THAT(screen_peers({}, {}).suspects, IsEmpty());
}

TEST(Retest, ConfirmsWhatAFreshRoundRepeats) {
  const PeerScale scale{.nodes = 40, .centre = 0, .spread = .005, .degrees = 30, .usable = true};
  const PeerSuspect suspect{
      .metric = 0, .node = 0, .change = .05, .p = 1e-9, .rejected = true, .stands_out = true};
  EXPECT_EQ(retest(suspect, scale, .03, .05, {}), PeerDecision::confirmed);
  EXPECT_EQ(retest(suspect, scale, .03, .016, {}), PeerDecision::confirmed) << "mean 3.3%, second above 1.5%";
  EXPECT_EQ(retest(suspect, scale, .03, .014, {}), PeerDecision::cleared) << "second below 1.5%";
  EXPECT_EQ(retest(suspect, scale, .03, .0, {}), PeerDecision::cleared);
  const PeerSuspect small{
      .metric = 0, .node = 0, .change = .035, .p = 1e-9, .rejected = true, .stands_out = true};
  EXPECT_EQ(retest(small, scale, .03, .02, {}), PeerDecision::cleared) << "mean 2.75%";
  PeerScale noisy = scale;
  noisy.spread = .03;
  EXPECT_EQ(retest(suspect, noisy, .03, .05, {}), PeerDecision::cleared) << "p of the fresh round .05";
}

TEST(Retest, AsksMoreWhereFewerTellWhatItIsHeldAgainst) {
  const PeerScale scale{.nodes = 40, .centre = 0, .spread = .0145, .degrees = 8, .usable = true};
  const PeerSuspect suspect{
      .metric = 0, .node = 0, .change = .05, .p = 1e-9, .rejected = true, .stands_out = true};
  EXPECT_EQ(retest(suspect, scale, .03, .044, 40, {}), PeerDecision::confirmed);
  EXPECT_EQ(retest(suspect, scale, .03, .044, 5, {}), PeerDecision::cleared);
}

TEST(Retest, ClearsWhatRepeatsAndIsNoMoreThanChanceAmongSoMany) {
  const PeerScale scale{.nodes = 40, .centre = 0, .spread = .01, .degrees = 30, .usable = true};
  const PeerSuspect suspect{
      .metric = 0, .node = 0, .change = .05, .p = 1e-5, .rejected = true, .stands_out = false};
  EXPECT_EQ(retest(suspect, scale, .03, .05, {}), PeerDecision::cleared);
}

TEST(ScreenPeers, LetsANodeStandOutBySeveralMetricsWhereOneWouldNotDo) {
  const auto screened = [](std::size_t slow, double by) {
    std::vector<PeerMetric> metrics = fleet(60, .01, 100);
    for (std::size_t m = 0; m < slow; ++m) metrics[m].values[7] = -7 + by;
    // Another node is broken beyond doubt: what is rejected at the false discovery rate grows with it.
    for (std::size_t m = 40; m < 90; ++m) metrics[m].values[31] = -7 + .3;
    int stand_out = 0;
    for (const PeerSuspect& suspect : screen_peers(metrics, {}).suspects)
      if (suspect.node == 7 && suspect.metric < slow) stand_out += suspect.stands_out ? 1 : -1;
    return stand_out;
  };
  EXPECT_EQ(screened(1, .045), -1) << "a suspect, and it may be chance among 6000";
  EXPECT_EQ(screened(20, .045), 20);
  EXPECT_EQ(screened(1, .08), 1);
}

TEST(Retest, WarnsAmongFewNodesOfFivePercentInBothRounds) {
  const PeerScale scale{.nodes = 10, .centre = 0, .spread = .005, .degrees = 7, .usable = true};
  const PeerSuspect suspect{.metric = 0, .node = 0, .change = .06, .p = .04, .rejected = false};
  EXPECT_EQ(retest(suspect, scale, .03, .055, {}), PeerDecision::warned);
  EXPECT_EQ(retest(suspect, scale, .03, .045, {}), PeerDecision::cleared);
}

TEST(Retest, WarnsAmongFewNodesOnlyBeyondWhatTheyDifferBy) {
  const PeerScale scale{.nodes = 10, .centre = 0, .spread = .03, .degrees = 7, .usable = true};
  PeerSuspect suspect{.metric = 0, .node = 0, .change = .1, .p = .04, .rejected = false};
  EXPECT_EQ(retest(suspect, scale, .03, .1, {}), PeerDecision::cleared) << "3.1 standard errors";
  suspect.change = .17;
  EXPECT_EQ(retest(suspect, scale, .03, .1, {}), PeerDecision::cleared);
  EXPECT_EQ(retest(suspect, scale, .03, .17, {}), PeerDecision::warned) << "5.3 in both runs";
}

TEST(ScreenPeers, LeavesANodeAloneThatLiesAmongTheOthersHoweverFarTheseLieApart) {
  PeerMetric metric{.03, {}};
  for (int n = 0; n < 12; ++n) metric.values.push_back(.02 * (n - 6));
  const PeerScreen screen = screen_peers(std::vector{metric}, {});
  EXPECT_GT(metric.values.back() - screen.scales.front().centre, 5. / 3 * metric.tolerance);
  EXPECT_TRUE(screen.suspects.empty());
  EXPECT_GT(doubtful_change(screen.scales.front(), metric.tolerance, {}), .1);
}

}  // namespace
}  // namespace gpugauge::judge
