// From what telemetry says of a GPU's memory to the cause.
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {
namespace {

using Told = std::map<std::string, std::vector<double>>;

/// A round of GPU-0, beside which GPU-1 stands with a failed remap.
report::DeviceReport gpu(const Told& told) {
  result::Run run;
  run.device = "GPU-0";
  run.started = "2026-11-27T10:00:00Z";
  run.complete = true;
  run.fingerprint.device = {{"gpu.0.uuid", "GPU-0"}, {"gpu.0.name", "NVIDIA H100 80GB HBM3"}};
  run.telemetry.push_back({"gpu:GPU-0", "power_watts", "watt", {1}, {300}});
  run.telemetry.push_back({"gpu:GPU-1", "remap_failed", "1", {1}, {1}});
  for (const auto& [name, values] : told)
    run.telemetry.push_back({"gpu:GPU-0", name, "1", std::vector<double>(values.size(), 1), values});
  report::DeviceReport device;
  device.rounds = {run};
  return device;
}

std::string first_cause(const report::DeviceReport& device) {
  const auto found = diagnose::diagnose(observe(device, nullptr));
  return found.findings.empty() ? "" : found.findings.front().cause;
}

TEST(ObserveMemory, AFailedOrPendingRemapIsTheCause) {
  const report::DeviceReport failed = gpu({{"remap_failed", {0, 1}}, {"remap_pending", {0, 0}}});
  EXPECT_EQ(observe(failed, nullptr).inventory.at("gpu.remap_failed"), diagnose::Value(true));
  EXPECT_EQ(observe(failed, nullptr).inventory.at("gpu.remap_pending"), diagnose::Value(false));
  EXPECT_EQ(first_cause(failed), "hbm_row_remap");
  EXPECT_EQ(first_cause(gpu({{"remap_failed", {0}}, {"remap_pending", {1}}})), "hbm_row_remap");
}

TEST(ObserveMemory, ErrorsAreTheCountAtTheEndOfTheLastRound) {
  report::DeviceReport device = gpu({{"ecc_uncorrected_volatile", {0, 0}}});
  device.rounds.push_back(gpu({{"ecc_uncorrected_volatile", {1, 4}}}).rounds.front());
  EXPECT_EQ(observe(device, nullptr).inventory.at("gpu.ecc_uncorrected"), diagnose::Value(4.0));
}

TEST(ObserveMemory, TheNewestRoundTellsWhateverTheOrder) {
  report::DeviceReport device = gpu({{"ecc_uncorrected_volatile", {4}}});
  device.rounds.push_back(gpu({{"ecc_uncorrected_volatile", {0}}}).rounds.front());
  device.rounds.back().started = "2026-11-26T10:00:00Z";
  EXPECT_EQ(observe(device, nullptr).inventory.at("gpu.ecc_uncorrected"), diagnose::Value(4.0));
}

TEST(ObserveMemory, WhatTheGpuDoesNotTellIsNotKnown) {
  const diagnose::Observation seen = observe(gpu({}), nullptr);
  for (const char* const key : {"gpu.remap_failed", "gpu.remap_pending", "gpu.ecc_uncorrected"})
    EXPECT_FALSE(seen.inventory.contains(key)) << key;
  EXPECT_EQ(
      first_cause(gpu({{"remap_failed", {0}}, {"remap_pending", {0}}, {"ecc_uncorrected_volatile", {0}}})),
      "");
}

}  // namespace
}  // namespace gpugauge::conductor
