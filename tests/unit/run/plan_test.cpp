// What a plan knows of its benchmarks: who measures which, for how long.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include <gmock/gmock.h>

#include "fake_family.hpp"
#include "run/runner.hpp"

namespace gpugauge::run {
namespace {

const std::function<void(const Progress&)> nobody;

class PlanTest : public testing::Test {
 protected:
  Fakes fakes_;
};

TEST_F(PlanTest, PassesTheWindowOfAMeanWhereTheProfileHasOne) {
  auto plan = quick_plan({fakes_.family("fake", "leave; echo [$mean_window]")});
  EXPECT_EQ(execute(plan, nobody).processes.at(0).output, "[]\n");
  plan.profile.mean_window_seconds = .75;
  EXPECT_EQ(execute(plan, nobody).processes.at(0).output, "[0.75]\n");
}

TEST_F(PlanTest, PassesOnNoFlagOfGoogleBenchmarkThatTheEnvironmentHolds) {
  setenv("BENCHMARK_FILTER", "op", 1);
  setenv("BENCHMARK_LIST_TESTS", "true", 1);
  const auto plan = quick_plan(
      {fakes_.family("fake", "leave; echo [${BENCHMARK_FILTER-unset}] [${BENCHMARK_LIST_TESTS-unset}]")});
  const std::string output = execute(plan, nobody).processes.at(0).output;
  unsetenv("BENCHMARK_FILTER");
  unsetenv("BENCHMARK_LIST_TESTS");
  EXPECT_EQ(output, "[unset] [unset]\n");
}

TEST_F(PlanTest, TellsOnlyFamiliesOfSustainedLoadHowLongItLasts) {
  auto plan = quick_plan(
      {fakes_.family("a", "leave; echo [$sustained]"), fakes_.family("b", "leave; echo [$sustained]")});
  plan.profile.sustained_seconds = 600;
  plan.benchmarks = {{"a/op", 1, 1}, {.id = "b/op", .processes = 1, .seconds = 600, .sustained = true}};
  const auto run = execute(plan, nobody);
  ASSERT_EQ(run.processes.size(), 2U);
  for (const auto& process : run.processes)
    EXPECT_EQ(process.output, process.family == "b" ? "[600]\n" : "[]\n");
}

TEST_F(PlanTest, ReportsTheEstimateOfThePlanAndWhatProcessesTookAgainstIt) {
  auto plan = quick_plan({fakes_.family("fake", "leave; sleep .2")});
  plan.profile.processes = 2;
  plan.benchmarks = {{"fake/op", 2, 20}};
  plan.start_seconds = {{"fake", 5}};
  std::vector<Progress> seen;
  const auto run = execute(plan, [&](const Progress& progress) { seen.push_back(progress); });
  EXPECT_GT(seen.front().left_seconds, 40);
  EXPECT_LE(seen.front().left_seconds, 50);
  const auto second = std::find_if(seen.begin(), seen.end(), [](const auto& one) { return one.done == 1; });
  ASSERT_NE(second, seen.end());
  EXPECT_NEAR(second->left_seconds, run.processes[0].wall_seconds + plan.profile.pause_seconds, 1e-9)
      << "one is still to come, whole, and the first took far less than was planned";
  EXPECT_EQ(seen.back().left_seconds, 0);
  for (const auto& process : run.processes) EXPECT_EQ(process.expected_seconds, 25);
}

TEST_F(PlanTest, LeavesOutWhatAProcessIsNotToMeasure) {
  auto plan = quick_plan({fakes_.family("a", "leave; [ -z $only ] || cat $only"),
                          fakes_.family("b", "leave; [ -z $only ] || cat $only")});
  plan.profile.processes = 3;
  plan.profile.mean_window_seconds = .75;
  plan.benchmarks = {{"a/op", 3, 1}, {"a/other", 1, 1}, {"b/op", 2, 1}};
  const auto run = execute(plan, nobody);
  ASSERT_TRUE(run.complete) << run.partial_reason;
  std::map<std::string, std::string> outputs;
  for (const auto& process : run.processes)
    outputs[process.family + std::to_string(process.index)] = process.output;
  EXPECT_EQ(outputs.size(), 5U) << "b has no third process";
  EXPECT_EQ(outputs["a0"], "") << "all of it: no list is needed";
  EXPECT_EQ(outputs["a1"], "a/op\n");
  EXPECT_EQ(outputs["a2"], "a/op\n");
  EXPECT_EQ(outputs["b1"], "");
  EXPECT_TRUE(run.only.empty());
}

TEST_F(PlanTest, NarrowsAPlanOfBenchmarksByOnly) {
  auto plan = quick_plan({fakes_.family("a", "leave; cat $only")});
  plan.only = {"a/op"};
  plan.benchmarks = {{"a/op", 1, 1}};
  EXPECT_EQ(execute(plan, nobody).processes.at(0).output, "a/op\n");
}

}  // namespace
}  // namespace gpugauge::run
