#include "support/warm_up.hpp"

#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace gpugauge::bench {
namespace {

/// A GPU whose SM clock is a function of the time under load; work is done in proportion to it.
struct Load {
  double seconds_per_operation = 1e-3;  ///< at 1.9 GHz
  std::function<double(double)> clock_at = [](double) { return 1.9e9; };
  bool tells_clock = true;
  double time = 0;
  std::vector<std::int64_t> asked;

  BatchTime run(std::int64_t operations) {
    asked.push_back(operations);
    const double clock = clock_at(time);
    const double seconds = static_cast<double>(operations) * seconds_per_operation * 1.9e9 / clock;
    time += seconds;
    return {seconds, tells_clock ? clock : 0};
  }
  Warmed warm(const WarmUp& how) {
    return warm_until_steady(
        how, [this](std::int64_t operations) { return run(operations); }, [this] { return time; });
  }
};

/// Full speed for a fifth of a second, until the power limit takes a fifth of the clock back.
double capped(double time) {
  return time < 0.2 ? 1.9e9 : 1.5e9;
}

TEST(WarmUp, OfLittlePowerEndsWhenTheClockIsFlatForAMoment) {
  Load load;
  const Warmed warmed = load.warm({.longest = 0.1, .shortest = 0.02, .reading_seconds = 5e-3});
  EXPECT_TRUE(warmed.steady);
  EXPECT_GE(warmed.seconds, 0.02);
  EXPECT_LT(warmed.seconds, 0.05);
}

TEST(WarmUp, OfMuchPowerGoesOnUntilThePowerLimitHasActed) {
  Load load;
  load.clock_at = capped;
  ASSERT_LT(load.warm({}).seconds, 0.2) << "a short warm-up ends at a clock that does not last";
  load.time = 0;
  const Warmed warmed = load.warm(power_warm_up);
  EXPECT_TRUE(warmed.steady);
  EXPECT_GE(warmed.seconds, 0.2 + 0.3 - 0.1);
  EXPECT_LT(warmed.seconds, 0.9);
}

TEST(WarmUp, OfMuchPowerIsShorterOnAGpuThatWasLoadedSoJustNow) {
  EXPECT_EQ(&power_warm_up_after(0), &power_warm_up_again);
  EXPECT_EQ(&power_warm_up_after(2.9), &power_warm_up_again);
  EXPECT_EQ(&power_warm_up_after(3), &power_warm_up);
  EXPECT_EQ(&power_warm_up_after(std::numeric_limits<double>::infinity()), &power_warm_up);
  Load load;
  // Still swinging for a quarter of a second.
  load.clock_at = [](double time) {
    return time < 0.25 && static_cast<int>(time / 0.05) % 2 == 0 ? 1.4e9 : 1.5e9;
  };
  const Warmed warmed = load.warm(power_warm_up_again);
  EXPECT_TRUE(warmed.steady);
  EXPECT_GE(warmed.seconds, 0.25 + 2 * 0.06);
  EXPECT_LE(warmed.seconds, 0.5 + 0.1);
}

TEST(WarmUp, OfMuchPowerTakesLittleMoreThanItsShortestTimeWhereNothingMoves) {
  for (const double seconds_per_operation : {3e-6, 1e-4, 2e-3, 0.06}) {
    Load load;
    load.seconds_per_operation = seconds_per_operation;
    const Warmed warmed = load.warm(power_warm_up);
    EXPECT_TRUE(warmed.steady);
    EXPECT_GE(warmed.seconds, 0.3) << seconds_per_operation;
    EXPECT_LT(warmed.seconds, 0.5) << seconds_per_operation;
  }
}

TEST(WarmUp, EndsUnsteadyAtItsLongestTime) {
  Load load;
  load.clock_at = [](double time) { return 1.9e9 - 3e8 * time; };
  const Warmed warmed = load.warm(power_warm_up);
  EXPECT_FALSE(warmed.steady);
  EXPECT_GE(warmed.seconds, 1);
  EXPECT_LT(warmed.seconds, 1.2);
}

TEST(WarmUp, WithoutAClockJudgesTheThroughputAlone) {
  Load load;
  load.tells_clock = false;
  load.clock_at = capped;
  const Warmed warmed = load.warm(power_warm_up);
  EXPECT_TRUE(warmed.steady);
  EXPECT_GE(warmed.seconds, 0.4);
  EXPECT_FALSE(load.warm({}).steady) << "the clock is all that a short one asks for";
}

TEST(WarmUp, DoesManyShortOperationsAtATime) {
  Load load;
  load.seconds_per_operation = 3e-6;
  load.warm(power_warm_up);
  EXPECT_LT(load.asked.size(), 12U);
  EXPECT_EQ(load.asked.front(), 1);
}

}  // namespace
}  // namespace gpugauge::bench
