#include "support/warm_up.hpp"

#include <cmath>
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

constexpr WarmUp of_memory{
    .longest = 0.1, .shortest = 0.02, .reading_seconds = 5e-3, .longest_unsettled = 0.5};

TEST(Warming, OfMemoryWaitsUntilTwoThroughputsAreAlike) {
  using enum Warming;
  const std::vector<Reading> flat{{1000, 1.9e9}, {1000, 1.9e9}, {1000, 1.9e9}};
  const std::vector<Reading> rising{{200, 1.9e9}, {600, 1.9e9}, {1000, 1.9e9}};
  const std::vector<Reading> risen{{200, 1.9e9}, {1000, 1.9e9}, {1030, 1.9e9}};
  const std::vector<Reading> not_quite{{200, 1.9e9}, {1000, 1.9e9}, {1031, 1.9e9}};
  const std::vector<Reading> falling{{1031, 1.9e9}, {1031, 1.9e9}, {1000, 1.9e9}};
  const std::vector<Reading> slow_clock{{1000, 0.9e9}, {1000, 1.2e9}, {1000, 1.9e9}};
  EXPECT_EQ(warming(of_memory, 0.02, flat), ends_steady) << "as without";
  EXPECT_EQ(warming(of_memory, 0.019, flat), goes_on);
  EXPECT_EQ(warming(of_memory, 0.02, rising), goes_on);
  EXPECT_EQ(warming(of_memory, 0.1, rising), goes_on);
  EXPECT_EQ(warming(of_memory, 0.5, rising), ends_unsettled);
  EXPECT_EQ(warming(of_memory, 0.02, risen), ends_steady);
  EXPECT_EQ(warming(of_memory, 0.02, not_quite), goes_on);
  EXPECT_EQ(warming(of_memory, 0.02, falling), goes_on);
  EXPECT_EQ(warming(of_memory, 0.099, slow_clock), goes_on);
  EXPECT_EQ(warming(of_memory, 0.1, slow_clock), ends_unsteady) << "throughput alone is not waited for then";
  EXPECT_EQ(warming(of_memory, 0.1, {{1000, 1.9e9}}), goes_on) << "one reading says nothing";
  EXPECT_EQ(warming(of_memory, 0.1, {{0, 1.9e9}, {0, 1.9e9}}), goes_on);
}

TEST(Warming, OfMemoryWaitsWhereItsClockMayHaveFallen) {
  EXPECT_EQ(memory_settles_seconds(std::numeric_limits<double>::infinity()), 0.5) << "first in the process";
  EXPECT_EQ(memory_settles_seconds(3), 0.5);
  EXPECT_EQ(memory_settles_seconds(2.9), 0);
}

TEST(Warming, MemoryBoundsItsOwnClassTransformsPrimitivesThatAreMeasuredByBytesAndWhatSaysSo) {
  const auto bound = [](Quantity quantity, const char* metric_class) {
    const Definition definition = define("family", "op")
                                      .isolates("anything")
                                      .bad_value("anything")
                                      .quantity(quantity, metric_class)
                                      .body([](Trial&) {});
    return is_bound_by_memory(instances_of(definition).at(0));
  };
  EXPECT_TRUE(bound(Quantity::bandwidth, "hbm"));
  EXPECT_TRUE(bound(Quantity::rate, "hbm"));
  EXPECT_TRUE(bound(Quantity::throughput, "fft"));
  EXPECT_TRUE(bound(Quantity::bandwidth, "primitive"));
  EXPECT_FALSE(bound(Quantity::rate, "primitive")) << "whole numbers from registers";
  EXPECT_FALSE(bound(Quantity::throughput, "primitive"));
  EXPECT_FALSE(bound(Quantity::throughput, "gemm16"));
  EXPECT_FALSE(bound(Quantity::bandwidth, "h2d"));
  const Definition custom =
      define("family", "op").isolates("x").bad_value("x").custom_metrics({"hbm"}).body([](Trial&) {});
  EXPECT_TRUE(is_bound_by_memory(instances_of(custom).at(0)));
  const Definition sort = define("family", "op")
                              .isolates("x")
                              .bad_value("x")
                              .quantity(Quantity::rate, "primitive")
                              .memory_bound()
                              .body([](Trial&) {});
  EXPECT_TRUE(is_bound_by_memory(instances_of(sort).at(0)));
}

TEST(Warming, OfOtherWorkAsksForTheClockAlone) {
  using enum Warming;
  const std::vector<Reading> rising{{200, 1.9e9}, {600, 1.9e9}, {1000, 1.9e9}};
  EXPECT_EQ(warming({}, 0.02, rising), ends_steady);
  EXPECT_EQ(warming({}, 0.1, {{1000, 1.9e9}}), ends_unsteady);
  EXPECT_EQ(warming({}, 0.09, {{1000, 1.9e9}}), goes_on);
}

// GDDR idles at a fraction of its clock and rises in a step of its own, while the SM clock stands.
TEST(WarmUp, OfMemoryOutlastsTheRiseOfTheMemoryClock) {
  const auto rising_until = [](double end) {
    return [end](double time) { return time < end ? 1.9e9 * (0.2 + 0.8 * time / end) : 1.9e9; };
  };
  const auto warmed = [](const WarmUp& how, const std::function<double(double)>& memory) {
    Load load;
    load.clock_at = memory;  // the work goes with it ...
    const auto with_its_clock = [&load](std::int64_t operations) {
      BatchTime batch = load.run(operations);
      batch.sm_clock_hz = 1.9e9;  // ... and the SM clock does not
      return batch;
    };
    return warm_until_steady(how, with_its_clock, [&load] { return load.time; });
  };
  const WarmUp without{.longest = 0.1, .shortest = 0.02, .reading_seconds = 5e-3};
  EXPECT_LT(warmed(without, rising_until(0.2)).seconds, 0.05) << "which the SM clock alone does not see";
  const Warmed risen = warmed(of_memory, rising_until(0.2));
  EXPECT_TRUE(risen.settled);
  EXPECT_GE(risen.seconds, 0.1);
  EXPECT_LT(risen.seconds, 0.3);
  const Warmed steep = warmed(of_memory, [](double time) { return 1e8 * std::exp(30 * time); });
  EXPECT_FALSE(steep.settled);
  EXPECT_FALSE(steep.steady);
  EXPECT_GE(steep.seconds, 0.5);
  EXPECT_LT(steep.seconds, 0.6);
  const auto flat = [](double) { return 1.9e9; };
  EXPECT_EQ(warmed(of_memory, flat).seconds, warmed(without, flat).seconds) << "no change where it is flat";
}

}  // namespace
}  // namespace gpugauge::bench
