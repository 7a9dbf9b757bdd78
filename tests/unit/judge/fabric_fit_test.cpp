// The fit on small tables whose solution is known exactly.
#include "judge/fabric_fit.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::judge {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsNan;
using ::testing::SizeIs;

constexpr double fit_tolerance = .1;
constexpr double infinity = std::numeric_limits<double>::infinity();
const FabricRules rules;

using Sets = std::vector<MeasuredSet>;

FabricFit fit(const Sets& sets, std::size_t nodes, std::optional<double> expected = std::nullopt) {
  return fit_fabric(sets, nodes, fit_tolerance, expected, rules);
}

/// Every pair of four nodes, in the order 01 02 03 12 13 23.
Sets pairs_of_four(const std::vector<double>& values) {
  Sets out;
  std::size_t i = 0;
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = a + 1; b < 4; ++b) out.push_back({{a, b}, 0, values.at(i++)});
  return out;
}

std::vector<double> slowness(const FabricFit& fitted) {
  std::vector<double> out;
  for (const FittedNode& node : fitted.nodes) out.push_back(node.slowness);
  return out;
}

TEST(FabricFit, ASlowNodeTakesAllOfItsSlowness) {
  // 1 = exp(0) everywhere, but half the speed with node 3.
  const double half = std::log(2);
  const FabricFit fitted = fit(pairs_of_four({0, 0, half, 0, half, half}), 4);
  EXPECT_EQ(fitted.levels.at(0).reference, 0);
  EXPECT_THAT(slowness(fitted), ElementsAre(0, 0, 0, DoubleEq(half)));
  EXPECT_THAT(fitted.unexplained, ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_FALSE(fitted.nodes[3].cleared);
  EXPECT_TRUE(fitted.nodes[3].separable);
  EXPECT_THAT(fitted.nodes[3].telling, ElementsAre(2, 4, 5));
}

TEST(FabricFit, PartsThatAddUpAreFoundExactly) {
  // y = a_i + a_j with a = 0, 0, .04, .06, held against 0: nothing is left over.
  const FabricFit fitted = fit(pairs_of_four({0, .04, .06, .04, .06, .10}), 4, 0.0);
  EXPECT_THAT(slowness(fitted), ElementsAre(0, 0, DoubleEq(.04), DoubleEq(.06)));
  for (const double left : fitted.unexplained) EXPECT_NEAR(left, 0, 1e-15);
}

TEST(FabricFit, TheReferenceIsTheUpperQuartileUnlessThatIsSlow) {
  // Six values: as good as the second best. Slowest part of .04: what the others have is relative to it.
  const FabricFit fitted = fit(pairs_of_four({0, .04, .06, .04, .06, .10}), 4);
  EXPECT_EQ(fitted.levels.at(0).reference, .04);
  EXPECT_FALSE(fitted.levels.at(0).quartile_slow);
  EXPECT_THAT(slowness(fitted), ElementsAre(0, 0, 0, DoubleEq(.06 - .04)));
  EXPECT_NEAR(fitted.unexplained[5], .04, 1e-15) << "node 2's part, which the reference hides";
  // Three quarters slow against the best one.
  const FabricFit few = fit({{{0, 1}, 0, 0}, {{2, 3}, 0, .5}, {{4, 5}, 0, .5}, {{6, 7}, 0, .5}}, 8);
  EXPECT_TRUE(few.levels.at(0).quartile_slow);
  EXPECT_EQ(few.levels.at(0).reference, 0);
}

TEST(FabricFit, ASlowPathIsLeftOver) {
  const FabricFit fitted = fit(pairs_of_four({.5, 0, 0, 0, 0, 0}), 4);
  EXPECT_THAT(slowness(fitted), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(fitted.unexplained, ElementsAre(.5, 0, 0, 0, 0, 0));
}

TEST(FabricFit, NoNodeIsSlowerThanItsFastestSet) {
  // Node 0 has two slow paths of three: a plain median would call it slow by .5.
  const FabricFit fitted = fit(pairs_of_four({.5, .5, .02, 0, 0, 0}), 4);
  EXPECT_TRUE(fitted.nodes[0].cleared);
  EXPECT_THAT(fitted.nodes[0].slowness, DoubleEq(.02));
  EXPECT_THAT(fitted.unexplained, ElementsAre(DoubleEq(.48), DoubleEq(.48), 0, 0, 0, 0));
}

TEST(FabricFit, TwoSlowNodesThatMetDoNotBlameEachOther) {
  // Of five nodes 3 and 4 are slow; the slower one decides their pair, which the fit overstates and ignores.
  const FabricFit fitted = fit({{{0, 1}, 0, 0},
                                {{1, 2}, 0, 0},
                                {{0, 2}, 0, 0},
                                {{0, 3}, 0, .5},
                                {{1, 3}, 0, .5},
                                {{1, 4}, 0, .3},
                                {{2, 4}, 0, .3},
                                {{3, 4}, 0, .5}},
                               5);
  EXPECT_THAT(slowness(fitted), ElementsAre(0, 0, 0, .5, .3));
  EXPECT_NEAR(fitted.unexplained[7], -.3, 1e-15);
}

TEST(FabricFit, WhatCannotBeSeparatedIsNot) {
  // 3 and 4 only ever met each other; 5 met one node; 6 none.
  const FabricFit fitted =
      fit({{{0, 1}, 0, 0}, {{1, 2}, 0, 0}, {{0, 2}, 0, 0}, {{3, 4}, 0, .5}, {{0, 5}, 0, .5}}, 7);
  for (const std::size_t n : {3U, 4U, 5U}) {
    EXPECT_FALSE(fitted.nodes[n].told) << n;
    EXPECT_EQ(fitted.nodes[n].slowness, 0) << n;
  }
  EXPECT_THAT(fitted.unexplained[3], IsNan());
  EXPECT_THAT(fitted.unexplained[4], IsNan());
  EXPECT_THAT(fitted.nodes[5].telling, ElementsAre(4))
      << "one partner that is fast elsewhere, two are needed";
  EXPECT_THAT(fitted.nodes[6].sets, ElementsAre());
  EXPECT_FALSE(fitted.nodes[6].cleared);
}

TEST(FabricFit, OnePartnerIsOneHoweverOftenItIsMet) {
  // 3 met 0 alone: with two numbers of ranks, and in two larger sets. The path to 0 would explain all.
  const Sets fast{{{0, 1}, 0, 0}, {{1, 2}, 0, 0}, {{0, 2}, 0, 0}, {{0, 1}, 1, 0}, {{1, 2}, 1, 0}};
  Sets twice = fast;
  twice.insert(twice.end(), {{{0, 3}, 0, .5}, {{0, 3}, 1, .5}});
  Sets larger = fast;
  larger.insert(larger.end(), {{{0, 1, 2}, 2, 0}, {{0, 1, 3}, 2, .5}, {{0, 2, 3}, 2, .5}});
  for (const Sets& sets : {twice, larger}) {
    const FabricFit fitted = fit(sets, 4);
    EXPECT_THAT(fitted.nodes[3].telling, SizeIs(2));
    EXPECT_EQ(fitted.nodes[3].partners, 1);
    EXPECT_FALSE(fitted.nodes[3].told);
    EXPECT_EQ(fitted.nodes[3].slowness, 0);
  }
  // A further partner tells.
  twice.push_back({{1, 3}, 0, .5});
  EXPECT_TRUE(fit(twice, 4).nodes[3].separable);
}

TEST(FabricFit, ANodeThatAlwaysFailsExplainsItsFailures) {
  const FabricFit fitted = fit(pairs_of_four({0, 0, infinity, 0, infinity, infinity}), 4);
  EXPECT_EQ(fitted.nodes[3].slowness, infinity);
  EXPECT_THAT(fitted.unexplained, ElementsAre(0, 0, 0, 0, 0, 0));
  // One failure between nodes that are fast with others is the path's.
  const FabricFit path = fit(pairs_of_four({infinity, 0, 0, 0, 0, 0}), 4);
  EXPECT_EQ(path.nodes[0].slowness, 0);
  EXPECT_EQ(path.unexplained[0], infinity);
}

TEST(FabricFit, LargerSetsAreComparedWithTheirOwnSize) {
  // Triples are slower than pairs by nature; node 3 is in the slow one of each size.
  const FabricFit fitted = fit({{{0, 1}, 0, 0},
                                {{2, 3}, 0, .4},
                                {{0, 2}, 0, 0},
                                {{0, 1, 2}, 1, 1},
                                {{0, 1, 3}, 1, 1.4},
                                {{0, 1, 2, 3}, 2, 2}},
                               4);
  EXPECT_EQ(fitted.levels.at(1).reference, 1);
  EXPECT_FALSE(fitted.levels.at(2).judged) << "one set has nothing to be compared with";
  EXPECT_THAT(fitted.excess[5], IsNan());
  EXPECT_THAT(fitted.nodes[3].telling, ElementsAre(1, 4));
  EXPECT_NEAR(fitted.nodes[3].slowness, .4, 1e-15);
}

TEST(FabricFit, WhatIsNotJudgedIsNotExplainedEither) {
  // Node 3 fails with everybody, and was in the one larger set.
  Sets sets = pairs_of_four({0, 0, infinity, 0, infinity, infinity});
  sets.push_back({{0, 1, 3}, 1, infinity});
  const FabricFit fitted = fit(sets, 4);
  EXPECT_EQ(fitted.nodes[3].slowness, infinity);
  EXPECT_EQ(fitted.unexplained[5], 0);
  EXPECT_THAT(fitted.excess[6], IsNan());
  EXPECT_THAT(fitted.unexplained[6], IsNan());
}

TEST(FabricFit, WithoutAValueNothingIsJudged) {
  const FabricFit fitted = fit({{{0, 1}, 0, infinity}, {{2, 3}, 0, infinity}}, 4, 0.0);
  EXPECT_FALSE(fitted.levels.at(0).judged);
  EXPECT_THAT(fitted.nodes[0].sets, ElementsAre());
}

TEST(FabricFit, RefusesWhatIsNoSet) {
  EXPECT_THROW(fit({{{0}, 0, 0}}, 1), std::invalid_argument);
  EXPECT_THROW(fit({{{0, 2}, 0, 0}}, 2), std::invalid_argument);
}

}  // namespace
}  // namespace gpugauge::judge
