#include "conductor/diagnosed.hpp"

#include <gmock/gmock.h>

namespace gpugauge::conductor {
namespace {

using ::testing::ElementsAre;

/// The next steps of the best cause: a lowered power limit, seen on this device.
std::vector<std::string> steps_on(const std::string& device) {
  report::DeviceReport report;
  report.rounds.emplace_back().device = device;
  report.observation = diagnose::parse_observation(
      R"({"about": {"compute_capability": "9.0", "gpu": "H100"}, "metrics": [{"class": "gemm8", "factor": 1.2},
          {"class": "gemm16", "factor": 1.2}], "telemetry": {"power_limit_w": 450, "power_limit_default_w": 700,
          "power_w": 449, "throttle_reasons": ["sw_power_cap"]}})",
      "test");
  const diagnose::Diagnosis made = diagnosed(report);
  EXPECT_EQ(made.findings.at(0).cause, "sw_power_cap");
  return made.findings.at(0).next;
}

TEST(Diagnosed, WhatIsPastedSetsTheGpuThatWasMeasuredAndNoOther) {
  EXPECT_THAT(steps_on("GPU-aa010203"),
              ElementsAre("nvidia-smi -q -d POWER; sudo nvidia-smi -i GPU-aa010203 -pl DEFAULT_WATTS"));
  for (const char* no_one_gpu : {"host", "links", "MIG-aa010203", ""})
    EXPECT_THAT(steps_on(no_one_gpu),
                ElementsAre("nvidia-smi -q -d POWER; sudo nvidia-smi -i GPU -pl DEFAULT_WATTS"));
  EXPECT_THAT(steps_on("GPU-$(reboot)"),
              ElementsAre("nvidia-smi -q -d POWER; sudo nvidia-smi -i 'GPU-$(reboot)' -pl DEFAULT_WATTS"));
}

}  // namespace
}  // namespace gpugauge::conductor
