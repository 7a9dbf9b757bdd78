// What a report says of one metric, out of the processes of a run.
#include "report/summary.hpp"

#include <gmock/gmock.h>

#include "unit/result/example.hpp"

namespace gpugauge::report {
namespace {

TEST(Summary, TakesTheMedianOverProcessesAndTheRange) {
  result::Run run = result::example_run();
  run.processes.erase(run.processes.begin() + 1);
  for (const double value : {1e10, 1.5e10}) {
    result::Process process = run.processes[0];
    process.index = static_cast<int>(run.processes.size());
    process.samples->benchmarks[0].metrics[0].value = value;
    run.processes.push_back(process);
  }
  const std::vector<Measured> measured = summarise(run);
  ASSERT_EQ(measured.size(), 2U);
  EXPECT_EQ(measured[0].key, "host/triad/one_core:bandwidth");
  EXPECT_DOUBLE_EQ(measured[0].value, 1.25e10);
  EXPECT_DOUBLE_EQ(*measured[0].range, .4);
  EXPECT_DOUBLE_EQ(*measured[0].share_of_limit, .625);
  EXPECT_EQ(measured[0].processes, 3);
  EXPECT_EQ(measured[0].batches, 2);
  EXPECT_FALSE(measured[1].judged);
}

TEST(Summary, TheBestBatchAndTheMiddleHalfOfAProcess) {
  result::Run run = result::example_run();
  run.processes.resize(1);
  result::BenchmarkResult& benchmark = run.processes[0].samples->benchmarks[0];
  result::Metric& metric = benchmark.metrics[0];
  metric.statistic = "median";
  metric.unit = "second";
  metric.better = result::Direction::lower;
  metric.value = 3;
  benchmark.batches.seconds_per_operation = {5, 1, 2, 4, 3};
  Measured one = summarise(run)[0];
  EXPECT_DOUBLE_EQ(*one.best_batch, 1);
  EXPECT_DOUBLE_EQ(*one.batch_spread, 2. / 3) << "4 - 2, of 3";
  metric.unit = "byte/second";
  metric.better = result::Direction::higher;
  metric.value = 6e9;  // of a batch of 3 s
  one = summarise(run)[0];
  EXPECT_DOUBLE_EQ(*one.best_batch, 18e9);
  EXPECT_DOUBLE_EQ(*one.batch_spread, (9e9 - 4.5e9) / 6e9);
  metric.statistic = "p99";
  one = summarise(run)[0];
  EXPECT_FALSE(one.best_batch || one.batch_spread) << "no function of one batch";
  metric.statistic = "median";
  benchmark.batches.seconds_per_operation = {1, 2, 3};
  EXPECT_FALSE(summarise(run)[0].batch_spread) << "too few for quartiles";
}

TEST(Summary, ShareOfALimitForALowerIsBetterMetric) {
  result::Run run = result::example_run();
  auto& metric = run.processes[0].samples->benchmarks[0].metrics[0];
  metric.better = result::Direction::lower;
  metric.limit->value = metric.value / 2;
  EXPECT_DOUBLE_EQ(*summarise(run)[0].share_of_limit, .5);
}

}  // namespace
}  // namespace gpugauge::report
