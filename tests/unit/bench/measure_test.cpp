#include "support/measure.hpp"

#include <limits>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/statistics.hpp"

namespace gpugauge::bench {
namespace {

using testing::Each;

// A machine whose time passes only while it works: a batch takes overhead + n * per_operation.
struct FakeTimer final : Timer {
  double per_operation = 1e-6;
  double overhead = 0;
  double sm_clock = 0;
  std::int64_t most = 0;
  double clock = 100;
  bool warm = false;
  bool stands_still = false;
  std::vector<std::int64_t> asked;

  BatchTime time_batch(std::int64_t operations) override {
    EXPECT_TRUE(warm) << "warm_up() comes first";
    asked.push_back(operations);
    const double seconds = overhead + per_operation * static_cast<double>(operations);
    clock += seconds;
    return {stands_still ? 0 : seconds, sm_clock};
  }
  void warm_up() override { warm = true; }
  std::string name() const override { return "fake"; }
  double resolution_seconds() const override { return 1e-9; }
  std::int64_t maximum_operations() const override { return most; }
  std::function<double()> now() {
    return [this] { return clock; };
  }
};

TEST(Measure, CalibratesABatchToItsTarget) {
  for (const double per_operation : {1e-9, 3.7e-7, 1e-5, 1.9e-3}) {
    FakeTimer timer;
    timer.per_operation = per_operation;
    const result::Batches batches = measure(timer, {.batch_seconds = 2e-3}, timer.now());
    EXPECT_NEAR(static_cast<double>(batches.operations_per_batch) * per_operation, 2e-3,
                std::max(2e-5, per_operation / 2))
        << per_operation;
  }
}

TEST(Measure, AClockThatStandsStillEndsTheCalibration) {
  FakeTimer timer;
  timer.stands_still = true;
  EXPECT_THROW(measure(timer, {.batch_seconds = 2e-3, .budget_seconds = 1e9}, timer.now()),
               std::runtime_error);
  EXPECT_LT(timer.asked.back(), 10'000'000);
}

TEST(Measure, AnOperationLongerThanTheTargetIsABatchOfItsOwn) {
  FakeTimer timer;
  timer.per_operation = 0.01;
  EXPECT_EQ(measure(timer, {.batch_seconds = 2e-3}, timer.now()).operations_per_batch, 1);
}

TEST(Measure, AFewOperationsThatSeemLongDoNotEndTheCalibration) {
  // A thread that waits for its processor: 3 ms before the first operation, which itself takes a nanosecond.
  FakeTimer timer;
  timer.overhead = 3e-3;
  timer.per_operation = 1e-9;
  EXPECT_GT(measure(timer, {.batch_seconds = 2e-3}, timer.now()).operations_per_batch, 100'000);
}

TEST(Measure, NeverAsksForMoreOperationsThanTheTimerAllows) {
  FakeTimer timer;
  timer.most = 500;
  const result::Batches batches = measure(timer, {.batch_seconds = 2e-3}, timer.now());
  EXPECT_EQ(batches.operations_per_batch, 500);
  EXPECT_THAT(timer.asked, Each(testing::Le(500)));
}

TEST(Measure, FillsTheWindowByWallTime) {
  FakeTimer timer;
  const result::Batches batches = measure(timer, {.batch_seconds = 2e-3, .seconds = 1}, timer.now());
  EXPECT_GE(batches.window_seconds, 1);
  EXPECT_LT(batches.window_seconds, 1.01);
  EXPECT_NEAR(static_cast<double>(batches.seconds_per_operation.size()), 500, 2);
  EXPECT_THAT(batches.seconds_per_operation, Each(testing::DoubleNear(1e-6, 1e-12)));
  EXPECT_EQ(batches.cpu_seconds_per_operation.size(), batches.seconds_per_operation.size());
}

TEST(Measure, TakesAtLeastTwentyBatchesWithinTheBudget) {
  FakeTimer timer;
  timer.per_operation = 0.1;
  const result::Batches batches = measure(timer, {.seconds = 1, .budget_seconds = 10}, timer.now());
  EXPECT_EQ(batches.seconds_per_operation.size(), 20U);
}

TEST(Measure, EndsWithTheBudgetButHasOneBatch) {
  FakeTimer slow;
  slow.per_operation = 0.1;
  const result::Batches some = measure(slow, {.seconds = 1, .budget_seconds = 1}, slow.now());
  EXPECT_GE(some.seconds_per_operation.size(), 1U);
  EXPECT_LE(some.seconds_per_operation.size(), 11U);
  FakeTimer slower;
  slower.per_operation = 50;
  const result::Batches one = measure(slower, {.seconds = 1, .budget_seconds = 1}, slower.now());
  EXPECT_EQ(one.seconds_per_operation.size(), 1U);
  EXPECT_EQ(slower.asked.size(), 2U);  // one to calibrate, one that counts
}

// A product of 16384 in fp32, in a window of 0.2 s.
TEST(Measure, LongOperationsAreTimedOftenEnoughToBeJudged) {
  FakeTimer timer;
  timer.per_operation = 0.18;
  const Window window{.batch_seconds = 5e-3, .seconds = 0.2, .budget_seconds = 0.6};
  EXPECT_EQ(measure(timer, window, timer.now()).seconds_per_operation.size(), fewest_to_judge);
  EXPECT_EQ(timer.asked.size(), 2 + fewest_to_judge) << "two to calibrate";
}

TEST(Measure, CalibrationTakesNothingOfTheWindow) {
  FakeTimer timer;
  timer.per_operation = 0.03;
  const Window window{.batch_seconds = 5e-3, .seconds = 0.2, .minimum_batches = 10, .budget_seconds = 0.31};
  EXPECT_EQ(measure(timer, window, timer.now()).seconds_per_operation.size(), 10U);
  EXPECT_EQ(timer.asked.size(), 14U);
}

TEST(Measure, AWindowEndsWhenItIsFullOrItsTimeIsUp) {
  const Window window{.seconds = 1, .minimum_batches = 20, .maximum_batches = 100, .budget_seconds = 3};
  EXPECT_FALSE(has_ended(window, 0.9, 50));
  EXPECT_TRUE(has_ended(window, 1, 20));
  EXPECT_FALSE(has_ended(window, 1, 19));
  EXPECT_TRUE(has_ended(window, 0.1, 100));
  EXPECT_FALSE(has_ended(window, 2.9, 5));
  EXPECT_TRUE(has_ended(window, 3, 5));
  EXPECT_FALSE(has_ended(window, 3, 4));
  EXPECT_FALSE(has_ended(window, 11.9, 4));
  EXPECT_TRUE(has_ended(window, 12, 1));
}

TEST(Measure, NeverTakesMoreThanTheMostBatches) {
  FakeTimer timer;
  timer.most = 1;
  const result::Batches batches = measure(timer, {.seconds = 1, .maximum_batches = 300}, timer.now());
  EXPECT_EQ(batches.seconds_per_operation.size(), 300U);
}

TEST(Measure, KeepsTheClockOfEveryBatchOnlyWhereThereIsOne) {
  FakeTimer host;
  EXPECT_TRUE(measure(host, {.seconds = 0.1}, host.now()).sm_clock_hz.empty());
  FakeTimer gpu;
  gpu.sm_clock = 1.98e9;
  const result::Batches batches = measure(gpu, {.seconds = 0.1}, gpu.now());
  EXPECT_EQ(batches.sm_clock_hz.size(), batches.seconds_per_operation.size());
  EXPECT_THAT(batches.sm_clock_hz, Each(1.98e9));
}

TEST(Measure, RefusesATimerThatCannotTellTheTime) {
  for (const double seconds :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
    FakeTimer timer;
    timer.per_operation = seconds;
    EXPECT_THROW(measure(timer, {}, timer.now()), std::runtime_error) << seconds;
  }
  FakeTimer frozen;
  frozen.per_operation = 0;
  frozen.most = 8;
  EXPECT_THROW(measure(frozen, {}, frozen.now()), std::runtime_error);
}

TEST(HostTimer, DoesTheOperationsThatItIsAskedFor) {
  std::int64_t done = 0;
  const std::function<void(std::int64_t)> count = [&](std::int64_t operations) { done += operations; };
  HostTimer timer(count);
  EXPECT_GE(timer.time_batch(17).seconds, 0);
  EXPECT_EQ(done, 17);
  timer.warm_up();
  EXPECT_GT(done, 17);
  EXPECT_GT(timer.resolution_seconds(), 0);
}

}  // namespace
}  // namespace gpugauge::bench
