#include "support/per_clock.hpp"

#include <gmock/gmock.h>

namespace gpugauge::bench {
namespace {

/// A product of 2 us whose batches ran at these SM clocks.
result::BenchmarkResult product(const result::Work& work, std::vector<double> sm_clock_hz) {
  const Definition definition = define("gemm", "product").quantity(Quantity::throughput, "gemm16");
  const Instance instance = instances_of(definition).front();
  Trial trial(instance, {.batch_seconds = 1e-3, .seconds = 1e-3}, 7);
  trial.work(work);
  result::Batches batches;
  batches.operations_per_batch = 1;
  batches.seconds_per_operation.assign(sm_clock_hz.size(), 2e-6);
  batches.sm_clock_hz = std::move(sm_clock_hz);
  trial.record(std::move(batches), "made", 1e-9);
  add_per_clock(trial, work, 10);
  trial.verify("made for the test", true);
  return trial.finish();
}

const result::Metric* per_clock(const result::BenchmarkResult& result) {
  for (const result::Metric& metric : result.metrics)
    if (metric.name.ends_with("_per_clock_per_sm")) return &metric;
  return nullptr;
}

TEST(PerClock, IsTheMedianOverTheBatchesWhoseClockIsKnown) {
  // 4e6 flop in 2 us at 1, 2 and 4 GHz on 10 SMs.
  const auto result = product({.bytes = 4000, .flops = 4e6}, {1e9, 4e9, 2e9, 0});
  ASSERT_NE(per_clock(result), nullptr);
  EXPECT_EQ(per_clock(result)->name, "flop_per_clock_per_sm");
  EXPECT_EQ(per_clock(result)->unit, "flop/clock");
  EXPECT_EQ(per_clock(result)->metric_class, "gemm16");
  EXPECT_DOUBLE_EQ(per_clock(result)->value, 100);
}

TEST(PerClock, IsJudgedOfWhatWaitsForTheSms) {
  EXPECT_TRUE(per_clock(product({.bytes = 4000, .flops = 4e6}, {1e9, 1e9, 1e9, 1e9, 1e9}))->judged);
  EXPECT_TRUE(per_clock(product({.flops = 4e6}, {1e9, 1e9, 1e9, 1e9, 1e9}))->judged) << "from registers";
  const auto memory = product({.bytes = 4001, .flops = 4e6}, {1e9, 1e9, 1e9, 1e9, 1e9});
  EXPECT_FALSE(per_clock(memory)->judged);
  EXPECT_THAT(per_clock(memory)->note, testing::HasSubstr("wait for memory"));
}

TEST(PerClock, IsNotJudgedFromFewBatches) {
  const auto few = product({.bytes = 4000, .flops = 4e6}, {1e9, 1e9, 1e9, 1e9});
  EXPECT_FALSE(per_clock(few)->judged);
  EXPECT_THAT(per_clock(few)->note, testing::HasSubstr("fewer batches"));
}

TEST(PerClock, OfWholeNumbersCountsOperations) {
  const Definition definition = define("gemm", "product").quantity(Quantity::rate, "gemm8");
  const Instance instance = instances_of(definition).front();
  Trial trial(instance, {.batch_seconds = 1e-3, .seconds = 1e-3}, 7);
  const result::Work work{.bytes = 4000, .items = 4e6};
  trial.work(work);
  trial.record({1, {2e-6}, {}, {1e9}, 1e-3, 1e-3}, "made", 1e-9);
  add_per_clock(trial, work, 10);
  trial.verify("made for the test", true);
  const auto result = trial.finish();
  ASSERT_NE(per_clock(result), nullptr);
  EXPECT_EQ(per_clock(result)->name, "operation_per_clock_per_sm");
  EXPECT_EQ(per_clock(result)->unit, "1");
  EXPECT_DOUBLE_EQ(per_clock(result)->value, 200);
}

TEST(PerClock, IsLeftOutWhereNoClockIsKnown) {
  EXPECT_EQ(per_clock(product({.bytes = 4000, .flops = 4e6}, {0, 0})), nullptr);
}

}  // namespace
}  // namespace gpugauge::bench
