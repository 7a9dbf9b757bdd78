#include "baseline/same_measurement.hpp"

#include <gtest/gtest.h>

#include "folder.hpp"

namespace gpugauge::baseline {
namespace {

result::Run measured(int i) {
  result::Run run = make_run(i);
  result::BenchmarkResult& benchmark =
      run.processes.emplace_back().samples.emplace().benchmarks.emplace_back();
  benchmark.id = "host/triad";
  benchmark.metrics.emplace_back().value = 1.5;
  return run;
}

TEST(SameMeasurement, IsACopyUnderAnotherId) {
  const result::Run run = measured(0);
  result::Run copy = run;
  copy.id = run_id(1);
  copy.round = 2;
  copy.command = {"gpugauge", "check"};
  EXPECT_TRUE(same_measurement(run, copy));
}

TEST(SameMeasurement, IsNoneOfAnotherTimeDeviceOrValue) {
  const result::Run run = measured(0);
  EXPECT_FALSE(same_measurement(run, measured(1))) << "another start";
  result::Run other = run;
  other.device = "GPU-1";
  EXPECT_FALSE(same_measurement(run, other));
  other = run;
  other.processes.front().samples->benchmarks.front().metrics.front().value = 1.6;
  EXPECT_FALSE(same_measurement(run, other));
  other = run;
  other.processes.push_back(run.processes.front());
  EXPECT_FALSE(same_measurement(run, other));
}

TEST(SameMeasurement, IsNothingWhereNothingWasMeasured) {
  EXPECT_FALSE(same_measurement(make_run(0), make_run(0)));
}

}  // namespace
}  // namespace gpugauge::baseline
