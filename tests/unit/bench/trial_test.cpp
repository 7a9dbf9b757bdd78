#include "support/trial.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/occupied.hpp"

namespace gpugauge::bench {
namespace {

using result::Status;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Wall time passes really, but the reported batch is always 1 ms: fast tests, exact values.
struct SteadyTimer final : Timer {
  BatchTime time_batch(std::int64_t operations) override {
    const double start = steady_seconds();
    while (steady_seconds() - start < 1e-5) {
    }
    return {1e-6 * static_cast<double>(operations), 0};
  }
  void warm_up() override {}
  std::string name() const override { return "steady"; }
  double resolution_seconds() const override { return 1e-8; }
};

struct Bench {
  Definition definition;
  Instance instance;
  Trial trial;

  explicit Bench(Definition chosen, double seconds = 0.005)
      : definition(std::move(chosen)),
        instance(instances_of(definition).front()),
        trial(instance, {.batch_seconds = 1e-3, .seconds = seconds}, 7) {}

  /// The result of a body that verifies and finds nothing wrong.
  result::BenchmarkResult verified() {
    trial.verify("made for the test", true);
    return trial.finish();
  }
};

Definition latency() {
  return define("trial", "op")
      .axis("size", {"4096", "many"})
      .quantity(Quantity::latency, "host_cpu")
      .statistics({Statistic::median, Statistic::mean, Statistic::p99});
}

result::Metric metric_of(const result::BenchmarkResult& outcome, const std::string& name) {
  for (const result::Metric& metric : outcome.metrics)
    if (metric.name == name) return metric;
  ADD_FAILURE() << "no metric " << name;
  return {};
}

result::Metric ratio_of(double value) {
  result::Metric metric;
  metric.name = "ratio";
  metric.unit = "1";
  metric.metric_class = "host_cpu";
  metric.statistic = "ratio";
  metric.value = value;
  return metric;
}

TEST(Trial, TellsWhenItsStepsCame) {
  const double before = process_seconds();
  Bench bench(latency());
  SteadyTimer timer;
  bench.trial.time(timer);
  const result::BenchmarkResult outcome = bench.verified();
  const double after = process_seconds();
  ASSERT_TRUE(outcome.timeline && outcome.timeline->warming && outcome.timeline->timed);
  const result::Timeline& when = *outcome.timeline;
  constexpr double rounding = 1e-3;
  EXPECT_GE(when.began, before - rounding);
  EXPECT_GE(*when.warming, when.began);
  EXPECT_GE(*when.timed, *when.warming + outcome.batches.window_seconds - rounding);
  EXPECT_GE(when.ended, *when.timed);
  EXPECT_LE(when.ended, after + rounding);
}

TEST(Trial, WhatTimesByItselfTellsOnlyItsEnds) {
  Bench bench(latency());
  result::Batches batches;
  batches.operations_per_batch = 1;
  batches.seconds_per_operation = {1e-3};
  bench.trial.record(batches, "its own", 1e-8);
  const result::BenchmarkResult outcome = bench.verified();
  ASSERT_TRUE(outcome.timeline);
  EXPECT_FALSE(outcome.timeline->warming || outcome.timeline->timed);
  EXPECT_GE(outcome.timeline->ended, outcome.timeline->began);
}

TEST(ProcessSeconds, CountFromTheStartOfTheProcess) {
  const double first = process_seconds();
  const double start = steady_seconds();
  EXPECT_GT(first, 0);
  EXPECT_LT(first, 600);
  while (steady_seconds() - start < 0.01) {
  }
  EXPECT_NEAR(process_seconds() - first, steady_seconds() - start, 1e-3);
}

TEST(Trial, GivesTheBodyItsParameters) {
  Bench bench(latency());
  EXPECT_EQ(bench.trial.parameter("size"), "4096");
  EXPECT_EQ(bench.trial.integer("size"), 4096);
  EXPECT_EQ(bench.trial.data_seed(), 7U);
  EXPECT_THROW(bench.trial.parameter("shape"), std::logic_error);
  const std::vector<Instance> both = instances_of(bench.definition);
  Trial many(both[1], {}, 7);
  EXPECT_THROW(many.integer("size"), std::logic_error);
}

TEST(Trial, FormsLatencyFromBatches) {
  Bench bench(latency());
  SteadyTimer timer;
  bench.trial.time(timer);
  const result::BenchmarkResult outcome = bench.verified();
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_EQ(outcome.id, "trial/op/4096");
  EXPECT_EQ(outcome.notes.at("timer"), "steady");
  EXPECT_EQ(outcome.batches.operations_per_batch, 1000);
  const result::Metric median = metric_of(outcome, "latency");
  EXPECT_EQ(median.value, 1e-6);
  EXPECT_EQ(median.unit, "second");
  EXPECT_EQ(median.better, result::Direction::lower);
  EXPECT_EQ(median.metric_class, "host_cpu");
  EXPECT_EQ(median.statistic, "median");
  EXPECT_EQ(median.resolution, 1e-11);  // 10 ns over 1000 operations
  EXPECT_TRUE(median.judged);
  EXPECT_EQ(metric_of(outcome, "latency_p99").value, 1e-6);
}

TEST(Trial, FormsBandwidthThroughputAndRateFromDeclaredWork) {
  const std::pair<Quantity, std::string> cases[] = {{Quantity::bandwidth, "byte/second"},
                                                    {Quantity::throughput, "flop/second"},
                                                    {Quantity::rate, "operation/second"}};
  for (const auto& [quantity, unit] : cases) {
    Bench bench(define("trial", "op").quantity(quantity, "host_memory"));
    SteadyTimer timer;
    bench.trial.work({.bytes = 16, .flops = 16, .items = 16});
    bench.trial.time(timer);
    const result::Metric metric = bench.verified().metrics.at(0);
    EXPECT_EQ(metric.name, to_string(quantity));
    EXPECT_EQ(metric.value, 1.6e7);
    EXPECT_EQ(metric.unit, unit);
    EXPECT_EQ(metric.better, result::Direction::higher);
    EXPECT_NEAR(metric.resolution, 160, 1e-3);  // 1e-5 of a batch
  }
}

TEST(Trial, DoesNotJudgeAMeanOfLessThanASecondNorAP99OfFewBatches) {
  Bench bench(latency(), 1e-4);
  SteadyTimer timer;
  bench.trial.time(timer);
  const result::BenchmarkResult outcome = bench.verified();
  const result::Metric mean = metric_of(outcome, "latency_mean");
  EXPECT_FALSE(mean.judged);
  EXPECT_THAT(mean.note, HasSubstr("shorter than the 1 s"));
  const result::Metric p99 = metric_of(outcome, "latency_p99");
  EXPECT_FALSE(p99.judged);
  EXPECT_THAT(p99.note, HasSubstr("fewer than the 100"));
  EXPECT_TRUE(metric_of(outcome, "latency").judged);
}

TEST(Trial, JudgesNothingFromFewerThanFiveBatches) {
  for (const std::size_t count : {4U, 5U}) {
    Bench bench(define("trial", "op")
                    .quantity(Quantity::latency, "host_cpu")
                    .statistics({Statistic::median, Statistic::mean, Statistic::minimum}));
    result::Batches batches;
    batches.operations_per_batch = 1;
    batches.window_seconds = 2;
    batches.seconds_per_operation.assign(count, 0.4);
    bench.trial.record(batches, "made", 1e-9);
    for (const result::Metric& metric : bench.verified().metrics) {
      EXPECT_EQ(metric.judged, count == 5) << metric.name;
      EXPECT_EQ(metric.note.find("4 batches are fewer than the 5 that a") == 0, count == 4) << metric.name;
    }
  }
}

TEST(Trial, RunsTheWindowInsideTheLoopItIsGiven) {
  const Definition definition = latency();
  const std::vector<Instance> all = instances_of(definition);
  std::size_t seen = 0;
  Trial trial(all.front(), {.batch_seconds = 1e-3, .seconds = 1e-3}, 7,
              [&](const Trial::Measure& measure) { seen = measure().seconds_per_operation.size(); });
  SteadyTimer timer;
  trial.time(timer);
  EXPECT_GE(seen, 20U);
  EXPECT_EQ(trial.batches().seconds_per_operation.size(), seen);
}

TEST(Trial, SaysWhenTheBudgetEndedTheWindow) {
  const Definition definition = latency();
  const std::vector<Instance> all = instances_of(definition);
  Trial trial(all.front(), {.batch_seconds = 1e-3, .seconds = 1e-3, .budget_seconds = 1e-9}, 7);
  SteadyTimer timer;
  trial.time(timer);
  trial.verify("made for the test", true);
  EXPECT_EQ(trial.finish().notes.at("budget"), "ended after 1 of 20 batches");
}

TEST(Trial, RefusesBodiesThatMeasureNothingOrTwiceOrWithoutWork) {
  SteadyTimer timer;
  Bench never(latency());
  EXPECT_THROW(never.trial.finish(), std::logic_error);
  Bench twice(latency());
  twice.trial.time(timer);
  EXPECT_THROW(twice.trial.time(timer), std::logic_error);
  Bench workless(define("trial", "op").quantity(Quantity::bandwidth, "host_memory"));
  workless.trial.time(timer);
  EXPECT_THROW(workless.trial.finish(), std::logic_error);
  Bench empty(define("trial", "op").custom_metrics({"host_cpu"}));
  EXPECT_THROW(empty.trial.finish(), std::logic_error);
}

TEST(Trial, RefusesABodyThatVerifiesNothing) {
  SteadyTimer timer;
  Bench bench(latency());
  bench.trial.time(timer);
  try {
    bench.trial.finish();
    FAIL() << "a result that nobody verified was taken";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "benchmark trial/op/4096 verifies nothing");
  }
}

TEST(Trial, PutsALimitOnTheMetricOfItsName) {
  SteadyTimer timer;
  Bench bench(latency());
  bench.trial.limit("latency", {.value = 1e-7, .source = "a data sheet"});
  bench.trial.time(timer);
  const result::BenchmarkResult outcome = bench.verified();
  EXPECT_EQ(metric_of(outcome, "latency").limit->value, 1e-7);
  EXPECT_FALSE(metric_of(outcome, "latency_p99").limit.has_value());
  Bench wrong(latency());
  wrong.trial.limit("bandwidth", {.value = 1, .source = "a data sheet"});
  wrong.trial.time(timer);
  EXPECT_THROW(wrong.trial.finish(), std::logic_error);
}

TEST(Trial, TakesFiniteCustomMetricsOnly) {
  Bench bench(define("trial", "op").custom_metrics({"host_cpu"}));
  result::Metric ratio = ratio_of(nan);
  EXPECT_THROW(bench.trial.metric(ratio), std::invalid_argument);
  ratio.value = 0.5;
  bench.trial.metric(ratio);
  EXPECT_THAT(bench.verified().metrics, ElementsAre(ratio));
}

// The verification that a check of this error leaves, and the result's status.
std::pair<result::Verification, Status> verified(double error, double tolerance) {
  Bench bench(latency());
  SteadyTimer timer;
  bench.trial.time(timer);
  bench.trial.verify("against a reference", error, tolerance);
  const result::BenchmarkResult outcome = bench.trial.finish();
  return {outcome.verifications.at(0), outcome.status};
}

TEST(Verify, PassesUpToTheTolerance) {
  EXPECT_EQ(verified(0, 0).second, Status::ok);
  EXPECT_EQ(verified(1e-3, 1e-3).second, Status::ok);
  const auto [check, status] = verified(2e-3, 1e-3);
  EXPECT_EQ(status, Status::failed);
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.error, 2e-3);
}

TEST(Verify, NeverPassesWhatIsNotFinite) {
  for (const auto& [error, tolerance] : {std::pair{nan, 1.0},
                                         {infinity, 1.0},
                                         {infinity, infinity},
                                         {0.0, nan},
                                         {0.0, infinity},
                                         {nan, nan},
                                         {-infinity, 1.0}}) {
    const auto [check, status] = verified(error, tolerance);
    EXPECT_FALSE(check.passed) << error << " " << tolerance;
    EXPECT_EQ(status, Status::failed);
    EXPECT_EQ(check.error.has_value(), std::isfinite(error));
  }
}

TEST(Verify, AFailureSaysWhatWasWrongAndKeepsTheBatches) {
  Bench bench(latency());
  SteadyTimer timer;
  bench.trial.time(timer);
  bench.trial.verify("the sum", true);
  bench.trial.verify("the checksum", false);
  const result::BenchmarkResult outcome = bench.trial.finish();
  EXPECT_EQ(outcome.status, Status::failed);
  EXPECT_THAT(outcome.reason, HasSubstr("the checksum"));
  EXPECT_FALSE(outcome.batches.seconds_per_operation.empty());
}

TEST(Verify, DeterministicNeedsTwoEqualChecksumsThatWereFormed) {
  const std::pair<std::vector<std::uint64_t>, bool> cases[] = {
      {{5, 5, 5}, true}, {{5, 5, 6}, false}, {{6, 5, 5}, false}, {{5}, false}, {{}, false}, {{0, 0}, false}};
  for (const auto& [checksums, passes] : cases) {
    Bench bench(define("trial", "op").custom_metrics({"host_cpu"}));
    bench.trial.metric(ratio_of(1));
    bench.trial.verify_deterministic(checksums);
    EXPECT_EQ(bench.trial.finish().verifications.at(0).passed, passes);
  }
}

TEST(Trial, APartThatFailedFailsTheResultAndTheRestStands) {
  for (const bool wrong : {false, true}) {
    Bench bench(define("trial", "op").custom_metrics({"host_cpu"}));
    bench.trial.metric(ratio_of(1));
    bench.trial.part_failed("from 0 to 1: no way");
    bench.trial.part_failed("from 1 to 0: no way");
    bench.trial.verify("the sum", !wrong);
    const result::BenchmarkResult outcome = bench.trial.finish();
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_EQ(outcome.reason, wrong ? "wrong result: the sum" : "from 0 to 1: no way; from 1 to 0: no way");
    EXPECT_EQ(outcome.metrics.size(), 1U);
  }
}

TEST(Trial, APartThatIsOnlyInUseMakesTheResultOccupiedAndTheRestStands) {
  for (const bool failed : {false, true}) {
    Bench bench(define("trial", "op").custom_metrics({"host_cpu"}));
    bench.trial.metric(ratio_of(1));
    bench.trial.verify("the sum", true);
    bench.trial.part_occupied("GPU 1 is in use");
    bench.trial.part_occupied("GPU 2 is in use");
    if (failed) bench.trial.part_failed("from 0 to 3: no way");
    const result::BenchmarkResult outcome = bench.trial.finish();
    EXPECT_EQ(outcome.status, failed ? Status::failed : Status::unavailable);
    EXPECT_EQ(outcome.reason, failed ? "from 0 to 3: no way" : "GPU 1 is in use; GPU 2 is in use");
    EXPECT_EQ(result::occupied(outcome.status, outcome.reason, outcome.notes), !failed);
    EXPECT_EQ(outcome.metrics.size(), 1U);
  }
}

TEST(Trial, WhatIsKeptAsFailedSaysWhyBesideWhatWasMeasured) {
  std::vector<result::BenchmarkResult> kept;
  Bench bench(define("trial", "op").custom_metrics({"host_cpu"}));
  Trial trial(bench.trial.instance(), Window{}, 1, {},
              [&](result::BenchmarkResult so_far, const std::string&) { kept.push_back(std::move(so_far)); });
  trial.metric(ratio_of(1));
  trial.keep_as(Status::failed, "rank 3 is gone", "collectives were given up");
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].status, Status::failed);
  EXPECT_EQ(kept[0].reason, "rank 3 is gone");
  EXPECT_EQ(kept[0].metrics.size(), 1U);
  ASSERT_TRUE(kept[0].timeline);
  EXPECT_GE(kept[0].timeline->ended, kept[0].timeline->began) << "a sample file refuses the other order";
}

TEST(Trial, TakesBatchesThatTheBodyTimedItself) {
  Bench bench(latency());
  result::Batches batches;
  batches.operations_per_batch = 4;
  batches.seconds_per_operation = {1e-3, 3e-3, 2e-3};
  batches.window_seconds = 0.024;
  bench.trial.record(batches, "cuda_event", 0.5e-6);
  EXPECT_THROW(bench.trial.record(batches, "cuda_event", 0.5e-6), std::logic_error);
  EXPECT_THROW(bench.trial.time([](std::int64_t) {}), std::logic_error);
  const result::BenchmarkResult outcome = bench.verified();
  EXPECT_EQ(outcome.batches, batches);
  EXPECT_EQ(outcome.notes.at("timer"), "cuda_event");
  const result::Metric median = metric_of(outcome, "latency");
  EXPECT_DOUBLE_EQ(median.value, 2e-3);
  EXPECT_NEAR(median.resolution, 0.5e-6 / 4, 1e-12);
}

}  // namespace
}  // namespace gpugauge::bench
