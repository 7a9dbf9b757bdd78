// Timing single operations on the host: needs no GPU.
#include "support/cuda/operation_timer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/measure.hpp"
#include "support/timer.hpp"

namespace {

using namespace gpugauge::bench;
using gpugauge::result::BenchmarkResult;
using gpugauge::result::Metric;

// Keeps the processor busy: a sleep would measure the scheduler.
void spin(double seconds) {
  const double end = steady_seconds() + seconds;
  while (steady_seconds() < end) {
  }
}

const Definition& custom() {
  static const Definition definition =
      define("operation", "timed").isolates("x").bad_value("x").custom_metrics({"launch"}).body([](Trial&) {
      });
  return definition;
}

BenchmarkResult measured(cuda::OperationTimer& timer, double seconds, bool cpu_time,
                         cuda::OperationTimer::SlowEnd slow_end = cuda::OperationTimer::SlowEnd::p99) {
  const Instance instance{&custom(), {}, "operation/timed"};
  Window window;
  window.seconds = seconds;
  window.budget_seconds = 3 * seconds;
  Trial trial(instance, window, 1);
  trial.time(timer);
  timer.add_metrics(trial, "launch", cpu_time, slow_end);
  trial.verify("made for the test", true);
  return trial.finish();
}

const Metric& metric(const BenchmarkResult& result, const std::string& name) {
  for (const Metric& one : result.metrics)
    if (one.name == name) return one;
  throw std::runtime_error("no metric " + name);
}

TEST(OperationTimer, gives_quantiles_of_single_operations) {
  int count = 0;
  // Every fiftieth takes 20 times as long: 2% of all, so beyond p90 and within p99.
  cuda::OperationTimer timer([&] { spin(++count % 50 == 0 ? 200e-6 : 10e-6); }, [] {}, 0);
  const BenchmarkResult result = measured(timer, 0.3, true);
  EXPECT_GE(metric(result, "operation_p50").value, 9e-6);
  EXPECT_LT(metric(result, "operation_p50").value, 100e-6);
  EXPECT_GE(metric(result, "operation_p99").value, 190e-6);
  EXPECT_GE(metric(result, "operation_mean").value, (0.98 * 10e-6 + 0.02 * 200e-6) * 0.95);
  EXPECT_LE(metric(result, "operation_p50").value, metric(result, "operation_p90").value);
  EXPECT_LE(metric(result, "operation_p90").value, metric(result, "operation_p99").value);
  EXPECT_TRUE(metric(result, "operation_p99").judged);
  EXPECT_GT(metric(result, "cpu_per_operation").value, 0);
  EXPECT_EQ(result.notes.count("clock_cost_seconds"), 1U);
  EXPECT_EQ(result.notes.count("clock_resolution_seconds"), 1U);
}

TEST(OperationTimer, takes_off_what_is_known_to_be_spent_elsewhere) {
  cuda::OperationTimer whole([] { spin(100e-6); }, [] {}, 0);
  cuda::OperationTimer part([] { spin(100e-6); }, [] {}, 0, 80e-6);
  const double all = metric(measured(whole, 0.2, false), "operation_p50").value;
  const BenchmarkResult result = measured(part, 0.2, false);
  EXPECT_GE(all, 99e-6);
  EXPECT_NEAR(all - metric(result, "operation_p50").value, 80e-6, 15e-6);
  EXPECT_EQ(result.notes.at("subtracted_seconds"), "8e-05");
}

TEST(OperationTimer, records_what_reading_the_clock_takes_beside_the_operations) {
  int batches = 0;
  cuda::OperationTimer timer([] { spin(10e-6); }, [&] { ++batches; }, 7);
  const BenchmarkResult result = measured(timer, 0.05, false);
  const Metric& reading = metric(result, "clock_reading");
  EXPECT_FALSE(reading.judged);
  EXPECT_EQ(reading.unit, "second");
  // One a batch, and none of warming up, which prepares, too.
  EXPECT_GE(timer.clock_readings().size(), result.batches.seconds_per_operation.size());
  EXPECT_LT(timer.clock_readings().size(), static_cast<std::size_t>(batches));
  std::vector<double> sorted(timer.clock_readings().begin(), timer.clock_readings().end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_GE(reading.value, sorted[(sorted.size() - 1) / 2] * (1 - 1e-6));
  EXPECT_LE(reading.value, sorted[sorted.size() / 2] * (1 + 1e-6));
  EXPECT_NE(result.notes.at("clock_source"), "");
}

TEST(OperationTimer, judges_no_p99_of_few_operations) {
  cuda::OperationTimer timer([] { spin(10e-6); },
                             [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, 1);
  const BenchmarkResult result = measured(timer, 0.05, false);
  EXPECT_FALSE(metric(result, "operation_p99").judged);
  EXPECT_THAT(metric(result, "operation_p99").note, testing::HasSubstr("fewer than the 100"));
  EXPECT_TRUE(metric(result, "operation_p90").judged);
}

TEST(OperationTimer, calls_the_slowest_of_few_operations_what_it_is) {
  int count = 0;
  cuda::OperationTimer timer([&] { spin(++count % 8 == 0 ? 300e-6 : 10e-6); },
                             [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, 1);
  const BenchmarkResult result = measured(timer, 0.05, false, cuda::OperationTimer::SlowEnd::maximum);
  const Metric& slowest = metric(result, "operation_maximum");
  EXPECT_GE(slowest.value, 290e-6);
  EXPECT_FALSE(slowest.judged);
  EXPECT_EQ(slowest.statistic, "maximum");
  EXPECT_THAT(slowest.note, testing::StartsWith("the slowest of "));
  EXPECT_THROW(metric(result, "operation_p99"), std::runtime_error);
}

TEST(OperationTimer, fills_no_batch_beyond_its_bound_and_prepares_before_each) {
  int since = 0;
  int most = 0;
  cuda::OperationTimer timer([&] { most = std::max(most, ++since); }, [&] { since = 0; }, 7);
  measured(timer, 0.02, false);
  EXPECT_EQ(timer.maximum_operations(), 7);
  EXPECT_EQ(most, 7);
}

TEST(OperationTimer, keeps_the_gpu_busy_before_warming_up_and_behind_the_window_alone) {
  std::vector<char> order;  // s: a spin, o: operations
  const auto saw = [&order](char what) {
    if (order.empty() || order.back() != what) order.push_back(what);
  };
  std::int64_t last = 0;
  cuda::OperationTimer timer(
      [&] {
        saw('o');
        spin(10e-6);
      },
      [] {}, 0);
  timer.watch_clock([&](std::int64_t milliseconds) {
    saw('s');
    last = milliseconds;
    const bool behind = order.size() > 2;
    spin(static_cast<double>(milliseconds) * 1e-3);
    return BatchTime{static_cast<double>(milliseconds) * 1e-3, behind ? 0.405e9 : 1.98e9};
  });
  const BenchmarkResult result = measured(timer, 0.05, false);
  EXPECT_EQ(order, (std::vector<char>{'s', 'o', 's'}));
  EXPECT_EQ(last, 1) << "a short look";
  EXPECT_EQ(result.notes.at("sm_clock_warmed_up"), "1980 MHz");
  EXPECT_EQ(result.notes.at("sm_clock_behind_window"), "405 MHz");
}

TEST(OperationTimer, says_of_a_clock_that_is_not_known_that_it_is_not) {
  cuda::OperationTimer timer([] { spin(10e-6); }, [] {}, 0);
  timer.watch_clock([](std::int64_t milliseconds) {
    spin(static_cast<double>(milliseconds) * 1e-3);
    return BatchTime{static_cast<double>(milliseconds) * 1e-3, 0};
  });
  const BenchmarkResult result = measured(timer, 0.02, false);
  EXPECT_EQ(result.notes.at("sm_clock_warmed_up"), "unknown");
  EXPECT_EQ(result.notes.at("sm_clock_behind_window"), "unknown");
  cuda::OperationTimer blind([] { spin(10e-6); }, [] {}, 0);
  EXPECT_EQ(measured(blind, 0.02, false).notes.count("sm_clock_behind_window"), 0U);
}

}  // namespace
