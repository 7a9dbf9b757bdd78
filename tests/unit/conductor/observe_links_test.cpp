// From what telemetry and NCCL's log say of the ways between GPUs to the cause.
#include <string>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {
namespace {

/// A round of the links between eight GPUs; GPU 5 has `of_fifth` of 18 NVLinks up.
report::DeviceReport links(int of_fifth, const std::string& transport, bool switched = true) {
  result::Run run;
  run.device = "links";
  run.started = "2026-11-27T10:00:00Z";
  run.complete = true;
  for (int gpu = 0; gpu < 8; ++gpu) {
    const std::string number = std::to_string(gpu);
    run.fingerprint.device["gpu." + number + ".uuid"] = "GPU-" + number;
    run.fingerprint.device["gpu." + number + ".name"] = "NVIDIA H100 80GB HBM3";
    const double active = gpu == 5 ? of_fifth : 18;
    run.telemetry.push_back({"gpu:GPU-" + number, "nvlinks_down", "1", {1}, {18 - active}});
    run.telemetry.push_back({"gpu:GPU-" + number, "nvlinks_active", "1", {1}, {active}});
    run.telemetry.push_back({"gpu:GPU-" + number, "nvlinks_to_switch", "1", {1}, {switched ? active : 0}});
  }
  result::BenchmarkResult benchmark;
  benchmark.id = "nccl/all_reduce/256MiB";
  benchmark.notes["nccl.transport"] = transport;
  benchmark.verifications = {{"made for the test", true, {}, {}}};
  result::Process process;
  process.family = "nccl";
  process.samples.emplace();
  process.samples->benchmarks = {benchmark};
  run.processes = {process};
  report::DeviceReport device;
  device.rounds = {run};
  return device;
}

std::string first_of(const report::DeviceReport& device) {
  const auto found = diagnose::diagnose(observe(device, nullptr));
  return found.findings.empty() ? "" : found.findings.front().cause;
}

TEST(ObserveLinks, FewerNvlinksThanTheOthersAreSeenAndAreTheCause) {
  const diagnose::Observation seen = observe(links(17, "p2p"), nullptr);
  EXPECT_EQ(seen.telemetry.at("nvlinks_active"), diagnose::Value(17.0));
  EXPECT_EQ(seen.telemetry.at("nvlinks_expected"), diagnose::Value(18.0));
  EXPECT_EQ(seen.inventory.at("topology.path"), diagnose::Value(std::string("nvlink")));
  EXPECT_EQ(seen.about.nodes, 1);
  EXPECT_EQ(first_of(links(17, "p2p")), "nvlink_partial");
}

TEST(ObserveLinks, LinksThatTheModelDoesNotHaveAreNoCause) {
  report::DeviceReport device = links(18, "p2p");
  for (auto& [name, value] : device.rounds[0].fingerprint.device)
    if (name.ends_with(".name")) value = "NVIDIA A800-SXM4-80GB";
  for (result::Series& series : device.rounds[0].telemetry)
    series.values = {series.name == "nvlinks_down" ? 4. : 8.};
  const diagnose::Observation seen = observe(device, nullptr);
  EXPECT_EQ(seen.telemetry.at("nvlinks_active"), diagnose::Value(8.0));
  EXPECT_EQ(seen.telemetry.at("nvlinks_expected"), diagnose::Value(8.0));
  EXPECT_EQ(first_of(device), "");
}

TEST(ObserveLinks, WhatAllLackOfTheirModelIsTheCause) {
  report::DeviceReport device = links(18, "p2p");
  for (result::Series& series : device.rounds[0].telemetry)
    series.values = {series.name == "nvlinks_down" ? 1. : 17.};
  EXPECT_EQ(first_of(device), "nvlink_partial");
}

TEST(ObserveLinks, CardsInSlotsMayHaveABridgeOrNot) {
  EXPECT_FALSE(observe(links(0, "p2p", false), nullptr).telemetry.contains("nvlinks_active"));
}

TEST(ObserveLinks, HealthyOnesNameNoCause) {
  EXPECT_EQ(first_of(links(18, "p2p")), "");
}

TEST(ObserveLinks, TheHostsMemoryInTheirPlaceIsTheWayThatNcclLost) {
  EXPECT_EQ(first_of(links(18, "shm")), "nccl_p2p_to_shm");
}

TEST(ObserveLinks, SocketsThatTheEnvironmentAskedForAreItsDoing) {
  report::DeviceReport device = links(18, "socket");
  device.rounds[0].fingerprint.settings["env.NCCL_P2P_DISABLE"] = "1";
  device.rounds[0].fingerprint.settings["env.NCCL_SHM_DISABLE"] = "1";
  EXPECT_EQ(first_of(device), "nccl_env_leftover");
}

}  // namespace
}  // namespace gpugauge::conductor
