// From clocks of processors, and performance state and memory of a GPU, to the observation of a check.
#include "unit/conductor/observe_fixture.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::Not;

/// A series of the host in one run: before the work, and three times during it.
void host_series(result::Run& run, const std::string& name, double value) {
  run.processes.front().start_seconds = 1;
  run.telemetry.push_back({"host", name, "1", {0, 2, 3, 4}, {99 * value, value, value, value}});
}

TEST_F(Observe, AProcessorClockThatFellIsNamedUnderAnyGovernor) {
  slow_host();
  host_series(before_.runs.front(), "cpu_clock_hz", 3.5e9);
  host_series(now(), "cpu_clock_hz", 1.2e9);
  EXPECT_EQ(observation().telemetry.at("cpu_clock_mhz"), diagnose::Value(1200.0));
  EXPECT_EQ(observation().telemetry.at("cpu_clock_expected_mhz"), diagnose::Value(3500.0));
  EXPECT_EQ(best(), "cpu_governor");
  EXPECT_GE(diagnose::diagnose(observation()).findings.front().score, .7);
  now().telemetry.front().values = {0, 3.4e9, 3.4e9, 3.4e9};
  EXPECT_THAT(causes(), Not(Contains("cpu_governor"))) << "the clock is as it was";
}

TEST_F(Observe, AClockOfProcessorsThatWereBusierBeforeIsNotExpected) {
  slow_host();
  host_series(before_.runs.front(), "cpu_clock_hz", 3.5e9);
  host_series(now(), "cpu_clock_hz", 1.2e9);
  host_series(before_.runs.front(), "cpu_busy", .8);
  host_series(now(), "cpu_busy", .05);
  EXPECT_FALSE(observation().telemetry.contains("cpu_clock_expected_mhz"));
  EXPECT_THAT(causes(), Not(Contains("cpu_governor")));
}

TEST_F(Observe, UnderAGovernorThatScalesTheMeanClockAloneIsNotConfident) {
  slow_host();
  for (result::Run* const run : {&now(), &before_.runs.front()})
    run->fingerprint.settings["host.governor"] = "schedutil";
  host_series(before_.runs.front(), "cpu_clock_hz", 2e9);
  host_series(now(), "cpu_clock_hz", 1.5e9);
  for (const diagnose::Finding& finding : diagnose::diagnose(observation()).findings)
    EXPECT_LE(finding.score, .5) << finding.cause;
}

TEST_F(Observe, TellsPerformanceStateAndMemoryUnderLoad) {
  const std::string source = "gpu:GPU-1234";
  now().device = "GPU-1234";
  now().fingerprint.device["gpu.0.uuid"] = "GPU-1234";
  now().telemetry = {{source, "performance_state", "1", {0, 1, 2, 3}, {8, 8, 0, 0}},
                     {source, "memory_used_bytes", "byte", {0, 1, 2, 3}, {1e9, 1e9, 4294967296, 4294967296}}};
  const diagnose::Observation seen = observation();
  EXPECT_EQ(seen.telemetry.at("pstate"), diagnose::Value("P0"));
  EXPECT_EQ(seen.telemetry.at("memory_used_mib"), diagnose::Value(4096.0));
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(seen), "again"), seen);
  now().telemetry = {{source, "performance_state", "1", {0, 1, 2}, {8, 8, 8}}};
  EXPECT_EQ(observation().telemetry.at("pstate"), diagnose::Value("P8")) << "it did not wake";
}

}  // namespace
}  // namespace gpugauge::conductor
