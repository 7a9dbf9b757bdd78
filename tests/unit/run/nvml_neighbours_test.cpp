// Who else used a GPU is asked once, before any of our own processes can be among them.
#include "run/nvml_neighbours.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry_fixture.hpp"

namespace gpugauge::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NvmlNeighboursTest : public GpuTelemetryTest {};

TEST_F(NvmlNeighboursTest, CountsTheProcessesBesideItOnceAndOnlyOfAWholeGpu) {
  const auto later = [](const GpuTelemetry& telemetry) {
    const auto& all = telemetry.series();
    return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.values.size() >= 3; });
  };
  auto series = collect(nvml("temperature=40\nutilization=60\nprocesses=11:train:2\n"), later);
  EXPECT_THAT(values_of(series, "processes_before"), ElementsAre(1));
  EXPECT_THAT(values_of(series, "utilization_before"), ElementsAre(.6));
  series = collect(nvml("temperature=40\n"), later);
  EXPECT_THAT(values_of(series, "processes_before"), ElementsAre(0)) << "NVML says so";
  EXPECT_THAT(values_of(series, "utilization_before"), IsEmpty());
  for (const char* const untold :
       {"mig=1\nutilization=60\nprocesses=11:a:1\n", "code.nvmlDeviceGetComputeRunningProcesses_v3=3\n",
        "code.nvmlDeviceGetComputeRunningProcesses_v3=4\n"}) {
    series = collect(nvml(std::string("temperature=40\n") + untold), later);
    EXPECT_THAT(values_of(series, "processes_before"), IsEmpty()) << untold;
  }
}

TEST_F(NvmlNeighboursTest, LetsNoFamilyBeginBeforeItHasCountedTheOthers) {
  auto plan = quick_plan({fakes_.family("fake", "leave")});
  plan.gpu_telemetry = true;
  const std::string sample = "echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"processes_before\": 2}]}'\n";
  plan.telemetry_command = {fakes_.script("telemetry", "sleep .3\n" + sample + "exec sleep 100")};
  const auto run = execute(plan, [](const Progress&) {});
  EXPECT_THAT(values_of(run.telemetry, "processes_before"), ElementsAre(2));
  EXPECT_GE(run.processes.at(0).start_seconds, run.telemetry.back().seconds.at(0));
}

TEST_F(NvmlNeighboursTest, AnAnswerThatComesLateSaysNothingOfTheTimeBefore) {
  GpuTelemetry::Options options;
  options.command = {fakes_.script("telemetry",
                                   "while [ ! -e ${0%/*}/begun ]; do sleep .01; done\necho '{\"gpus\": "
                                   "[{\"uuid\": \"GPU-1\", \"power_watts\": 7, \"processes_before\": 2, "
                                   "\"utilization_before\": 1}]}'\nexec sleep 100"),
                     {},
                     {}};
  options.before_work_seconds = .05;
  Loop loop;
  GpuTelemetry telemetry(loop, options, [] { return 1.0; });
  telemetry.await_before_work();
  write_text(fakes_.path() / "begun", "");
  loop.run_for(30, [&] { return has_series(telemetry); });
  telemetry.finish();
  ASSERT_EQ(telemetry.series().size(), 1U);
  EXPECT_EQ(telemetry.series()[0].name, "power_watts");
}

}  // namespace
}  // namespace gpugauge::run
