// Exact vectors: the formulas of history.hpp worked by hand.
#include "judge/history.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::judge {
namespace {

using Values = std::vector<double>;
using ::testing::DoubleNear;
using ::testing::IsEmpty;
using ::testing::Pointwise;

/// tau / s^2 = 300, so that a night at tau adds 4.5 and one at 0 takes 4.5 away.
const Watched watched{.centre = 0, .spread = .01, .tolerance = .03, .contamination = .005};

TEST(CumulativeSums, AddTheLogLikelihoodRatioAndNeverFallBelowZero) {
  EXPECT_THAT(cumulative_sums(Values{.03, .03, 0, -.5, .02}, watched),
              Pointwise(DoubleNear(1e-9), Values{4.5, 9, 4.5, 0, 1.5}));
  Watched moved = watched;
  moved.centre = -5;
  EXPECT_THAT(cumulative_sums(Values{-4.97}, moved), Pointwise(DoubleNear(1e-9), Values{4.5}));
}

std::vector<Alarm> raised(const Values& nights, int metrics) {
  return alarms(cumulative_sums(nights, watched), alarm_limit(metrics));
}

TEST(CumulativeSums, ASingleNightTestifiesNoMoreThanTheShareOfBadRoundsAllows) {
  EXPECT_NEAR(cumulative_sums(Values{1000}, watched)[0], std::log(200), 1e-12);
  EXPECT_THAT(raised(Values{1000, 0, 0, 0}, 150), IsEmpty());
}

TEST(CumulativeSums, AlarmAtOneFalseAlarmAYearOverAllMetrics) {
  EXPECT_NEAR(alarm_limit(150), 10.910532647679, 1e-10);  // ln 54750
  const auto found = raised(Values{0, 0, .03, .03, .03, .03}, 150);
  ASSERT_EQ(found.size(), 1U) << "an alarm that goes on is one";
  EXPECT_EQ(found[0].night, 4U);
  EXPECT_EQ(found[0].from, 2U) << "the shift began where the sum left zero";
  EXPECT_THAT(raised(Values{0, .01, 0, .01, 0}, 150), IsEmpty());
  EXPECT_THROW(alarm_limit(0), std::invalid_argument);
  EXPECT_THROW(cumulative_sums(Values{0}, {}), std::invalid_argument);
}

TEST(Alarms, AnotherOneComesOnlyAfterTheSumWasZero) {
  const auto found = alarms(Values{0, 4, 8, 12, 9, 11, 3, 0, 0, 5, 10, 15}, 10);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].from, 1U);
  EXPECT_EQ(found[0].night, 3U);
  EXPECT_EQ(found[1].from, 9U);
  EXPECT_EQ(found[1].night, 10U);
  EXPECT_EQ(alarms(Values{12}, 10).at(0).from, 0U);
  EXPECT_THAT(alarms(Values{}, 10), IsEmpty());
  EXPECT_THROW(alarms(Values{1}, 0), std::invalid_argument);
}

/// Twelve nights of noise of a tenth of a percent around zero.
Values quiet() {
  return {.001, 0, -.001, .0005, .001, -.0005, 0, .001, -.001, 0, .0005, -.001};
}

TEST(ChangePoints, FindAStepAndItsSize) {
  Values nights = quiet();
  for (std::size_t i = 5; i < nights.size(); ++i) nights[i] += .02;
  const auto found = change_points(nights);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].night, 5U);
  EXPECT_NEAR(found[0].step, .02, .001);
  EXPECT_GT(found[0].z, 5);
}

TEST(ChangePoints, FindTwoStepsThatCancel) {
  Values nights = quiet();
  for (std::size_t i = 4; i < 8; ++i) nights[i] += .03;
  const auto found = change_points(nights);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].night, 4U);
  EXPECT_EQ(found[1].night, 8U);
  EXPECT_GT(found[0].step, 0);
  EXPECT_LT(found[1].step, 0);
}

TEST(ChangePoints, PassOverNoiseSmallStepsASingleBadNightAndShortSeries) {
  EXPECT_THAT(change_points(quiet()), IsEmpty());
  Values nights = quiet();
  for (std::size_t i = 6; i < nights.size(); ++i) nights[i] += .008;
  EXPECT_THAT(change_points(nights), IsEmpty()) << "below 1%";
  EXPECT_EQ(change_points(nights, .005).size(), 1U);
  nights = quiet();
  nights[6] += .05;
  EXPECT_THAT(change_points(nights), IsEmpty()) << "one night is no level";
  EXPECT_THAT(change_points(Values{0, 0, 0, 1, 1}), IsEmpty()) << "needs three nights on each side";
  EXPECT_THAT(change_points(Values{}), IsEmpty());
}

TEST(ChangePoints, SeeAStepInValuesThatRepeatExactly) {
  const auto found = change_points(Values{0, 0, 0, 0, .02, .02, .02, .02});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].night, 4U);
}

TEST(ChangePoints, ALevelBeginsWithItsFirstNightAndNotWithAHealthyOne) {
  Values nights = quiet();
  nights[10] += .5;
  nights[11] += .5;
  EXPECT_THAT(change_points(nights), IsEmpty()) << "two nights are no level, nor are they with a healthy one";
  nights.push_back(.5);
  const auto found = change_points(nights);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].night, 10U);
  nights = quiet();
  nights[5] += .5;
  nights[6] += .5;
  EXPECT_THAT(change_points(nights), IsEmpty()) << "nor two between healthy ones";
  // A bad night right before a level of its own makes the level no longer.
  nights = quiet();
  for (std::size_t i = 6; i < nights.size(); ++i) nights[i] += .02;
  nights[6] += .4;
  const auto later = change_points(nights);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].night, 6U);
  EXPECT_NEAR(later[0].step, .02, .002);
}

/// Sixty nights, each in one of two modes 10% apart as a coin fell, with a jitter of a tenth of a percent.
Values two_modes() {
  constexpr std::uint64_t coin = 0x6A09'E667'F3BC'C908;
  Values nights;
  for (std::size_t i = 0; i < 60; ++i)
    nights.push_back(((coin >> i) % 2 == 0 ? 0 : std::log(1.1)) + quiet()[i % 12]);
  return nights;
}

TEST(ChangePoints, TwoModesAreNoLevels) {
  Values nights = two_modes();
  EXPECT_THAT(change_points(nights), IsEmpty());
  nights.push_back(std::log(1.1));
  EXPECT_EQ(too_few_for_a_level(nights, 0, .01), std::nullopt) << "the other mode is no news";
  nights = two_modes();
  for (std::size_t i = 30; i < nights.size(); ++i) nights[i] += .2;
  const auto found = change_points(nights);
  ASSERT_EQ(found.size(), 1U) << "a step of both is one";
  EXPECT_EQ(found[0].night, 30U);
  EXPECT_GT(found[0].step, .2);
}

TEST(ChangePoints, AFewBadNightsHideNoStep) {
  Values nights;
  for (std::size_t i = 0; i < 10; ++i) nights.push_back(quiet()[i] + (i < 5 ? 0 : .08));
  nights[2] += .15;
  auto found = change_points(nights);
  ASSERT_EQ(found.size(), 1U) << "one bad night of ten";
  EXPECT_EQ(found[0].night, 5U);
  EXPECT_NEAR(found[0].step, .08, .002);
  nights.clear();
  for (std::size_t i = 0; i < 16; ++i) nights.push_back(quiet()[i % 12] + (i < 8 ? 0 : .08));
  nights[2] += .15;
  nights[12] += .15;
  found = change_points(nights);
  ASSERT_EQ(found.size(), 1U) << "two of sixteen";
  EXPECT_EQ(found[0].night, 8U);
}

TEST(ChangePoints, WeighAStepByTwoThirdsOfTheDifferencesBetweenNights) {
  // Sizes of the differences: five of 0, three of .001, the step. Their middle is 0, the sixth is .001.
  const auto found = change_points(Values{.001, 0, 0, .001, 0, .1, .1, .1, .1, .1});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].z, .1 / (1.03368 * .001 / std::sqrt(2) * std::sqrt(2 / 5.)), 1e-3);
}

TEST(ChangePoints, OfManyNightsTakeNoLongerThanTheirSquare) {
  Values nights;
  for (std::size_t i = 0; i < 6000; ++i) nights.push_back(quiet()[i % 12] + (i / 5 % 2 == 0 ? 0 : .05));
  EXPECT_EQ(change_points(nights).size(), 1199U);
}

TEST(TooFewForALevel, OneOrTwoLastNightsThatEachLieOffTheLevelBefore) {
  Values nights = quiet();
  EXPECT_EQ(too_few_for_a_level(nights, 0, .01), std::nullopt);
  nights[11] = .5;
  auto found = too_few_for_a_level(nights, 0, .01);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->night, 11U);
  EXPECT_NEAR(found->step, .5, .002);
  nights[10] = .4;
  found = too_few_for_a_level(nights, 0, .01);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->night, 10U);
  EXPECT_NEAR(found->step, .45, .002) << "the median of the two";
  nights[10] = -.4;
  EXPECT_EQ(too_few_for_a_level(nights, 0, .01)->night, 11U) << "to the same side";
  EXPECT_EQ(too_few_for_a_level(nights, 0, .6), std::nullopt) << "smaller than the least step";
  EXPECT_EQ(too_few_for_a_level(nights, 9, .01), std::nullopt) << "the level before has two nights itself";
  nights[11] = 0;
  EXPECT_EQ(too_few_for_a_level(nights, 0, .01), std::nullopt) << "the last night is healthy again";
  EXPECT_EQ(too_few_for_a_level(Values{0, 0, 0}, 0, .01), std::nullopt);
}

}  // namespace
}  // namespace gpugauge::judge
