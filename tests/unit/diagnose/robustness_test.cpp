// What becomes of the real reports when less of each was seen, or it was said otherwise.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "diagnose/vocabulary.hpp"
#include "unit/diagnose/perturb.hpp"

namespace gpugauge::diagnose {
namespace {

/// Every case in every variant; what is wrong is printed by case and variant.
Tally replay(const std::function<std::vector<Variant>(const Observation&)>& variants, std::string& wrong) {
  Tally out;
  for (const Case& one : read_cases())
    for (const Variant& variant : variants(one.observation)) {
      const Diagnosis diagnosis = diagnose(variant.observation);
      const Count counted = count(one, diagnosis);
      out.add(counted);
      if (counted.confident_wrong || counted.false_alarm)
        wrong += "  without " + variant.what + ": " + shown(one, diagnosis) + "\n";
    }
  return out;
}

TEST(Robustness, WithOneFactLessNothingIsClaimedWrongly) {
  std::string wrong;
  const Tally tally = replay(without_one_fact, wrong);
  std::cout << "one fact less: " << tally.cases << " observations, top-1 " << tally.first << ", top-3 "
            << tally.third << "\n"
            << wrong;
  EXPECT_GT(tally.cases, 400);
  EXPECT_EQ(tally.confident_wrong, 0) << wrong;
  EXPECT_EQ(tally.false_alarms, 0) << wrong;
  EXPECT_GE(tally.third, .75 * tally.cases);
}

TEST(Robustness, SaidOtherwiseItIsTheSame) {
  std::string wrong;
  const Tally tally = replay(said_otherwise, wrong);
  std::cout << "said otherwise: " << tally.cases << " observations, top-1 " << tally.first << ", top-3 "
            << tally.third << "\n";
  EXPECT_GT(tally.cases, 300);
  EXPECT_EQ(tally.confident_wrong, 0) << wrong;
  EXPECT_EQ(tally.false_alarms, 0) << wrong;
  EXPECT_GE(tally.first, .9 * tally.cases);
}

/// As another person would have encoded it, every report of both sets keeps its answer or loses it, and gets
/// no confident wrong one.
TEST(Robustness, EncodedOtherwiseNothingIsClaimedWrongly) {
  Tally tally;
  std::string wrong;
  for (const std::filesystem::path& folder : {reports_folder(), reports_folder() / "independent"})
    for (const Case& one : read_cases(folder))
      for (const Variant& variant : encoded_otherwise(one.observation)) {
        const Diagnosis diagnosis = diagnose(variant.observation);
        const Count counted = count(one, diagnosis);
        tally.add(counted);
        if (counted.confident_wrong || counted.false_alarm)
          wrong += "  " + variant.what + ": " + shown(one, diagnosis) + "\n";
      }
  std::cout << "encoded otherwise: " << tally.cases << " observations, top-1 " << tally.first << ", top-3 "
            << tally.third << "\n";
  EXPECT_GT(tally.cases, 300);
  EXPECT_EQ(tally.confident_wrong, 0) << wrong;
  EXPECT_EQ(tally.false_alarms, 0) << wrong;
  EXPECT_GE(tally.first, .8 * tally.cases);
}

/// A null is a fact only where the key's meaning says so; elsewhere it is as if nobody had looked.
TEST(Robustness, WhatIsNotKnownIsNoEvidence) {
  using Facts = std::map<std::string, Value> Observation::*;
  std::vector<std::pair<std::string, Facts>> keys;
  keys.reserve(telemetry_keys.size() + inventory_keys.size());
  for (const auto& key : telemetry_keys) keys.emplace_back(key.name, &Observation::telemetry);
  for (const auto& key : inventory_keys)
    if (!key.absent_tells) keys.emplace_back(key.name, &Observation::inventory);
  const auto evidence = [](const Observation& observation) {
    std::set<std::string> out;
    for (const Finding& finding : diagnose(observation).findings)
      for (const std::string& each : finding.evidence) out.insert(finding.cause + ": " + each);
    return out;
  };
  std::size_t turn = 0;  // each key with a part of the reports: all pairs would take half a minute
  for (const Case& one : read_cases())
    for (std::size_t k = turn++ % 3; k < keys.size(); k += 3) {
      const auto& [name, facts] = keys[k];
      Observation without = one.observation;
      (without.*facts).erase(name);
      Observation unknown = without;
      (unknown.*facts)[name] = Value();
      EXPECT_EQ(evidence(unknown), evidence(without)) << one.id << " with " << name << " = null";
    }
}

TEST(Robustness, OnlyWhereChipsDifferItIsAskedWhetherThisOneHasTensorCores) {
  const auto asked = [](const char* capability) {
    const Diagnosis diagnosis =
        diagnose(parse_observation(std::string(R"({"about": {"compute_capability": ")") + capability +
                                       R"("}, "metrics": [{"class": "gemm16", "factor": 3.0}]})",
                                   "slow"));
    return std::any_of(diagnosis.needed.begin(), diagnosis.needed.end(), [](const auto& question) {
      return question.cause == "gpu_without_tensor_cores_same_cc";
    });
  };
  EXPECT_TRUE(asked("7.5"));
  EXPECT_FALSE(asked("9.0"));
}

/// A build without CUDA says null of its toolkit, and so may others.
TEST(Robustness, AnAbsentToolkitIsNotTooOld) {
  const Diagnosis diagnosis = diagnose(parse_observation(
      R"({"about": {"gpu": "NVIDIA H100 80GB HBM3", "compute_capability": "9.0"},
          "metrics": [{"class": "gemm16", "factor": 3.0}], "inventory": {"cuda.toolkit": null}})",
      "no toolkit"));
  for (const Finding& finding : diagnosis.findings) EXPECT_NE(finding.cause, "old_toolkit_codegen");
}

TEST(Robustness, AHealthyMachineWithAnyHarmlessFactStaysHealthy) {
  for (
      const char* fact :
      {R"({"telemetry": {"throttle_reasons": ["sw_power_cap"], "power_limit_w": 700, "power_limit_default_w": 700,
            "power_w": 699, "sm_clock_mhz": 1755, "sm_clock_expected_mhz": 1980}})",
       R"({"telemetry": {"pstate": "P2", "utilization_percent": 100}, "inventory": {"gpu.brand": "GeForce"}})",
       R"({"telemetry": {"pcie_generation": 1, "pcie_generation_max": 5, "pcie_width": 16, "pcie_width_max": 16,
            "pcie_sampled": "idle"}})",
       R"({"telemetry": {"nvlinks_active": 12, "nvlinks_expected": 12, "nvlinks_max": 18}})",
       R"({"telemetry": {"nvlinks_active": 12, "nvlinks_max": 18}})",
       R"({"inventory": {"cuda.toolkit": "12.8", "framework.cuda": "12.1", "framework.origin": "wheel",
            "framework.name": "torch"}})",
       R"({"inventory": {"host.numa_local": false, "host.iommu": "translated", "host.governor": "powersave"}})",
       R"({"environment": {"NCCL_DEBUG": "INFO", "NCCL_SOCKET_IFNAME": "eth0", "CUDA_VISIBLE_DEVICES": "0,1"}})",
       R"({"log": ["NCCL INFO NET/Plugin: No plugin found (libnccl-net.so), using internal implementation",
                    "NCCL INFO NET/IB : Using [0]mlx5_0:1/IB"], "inventory": {"nccl.transport": "ib"}})"}) {
    for (const char* figures :
         {"[]", R"([{"class": "gemm16", "factor": 1.01}, {"class": "h2d", "factor": 0.99}, {"class": "p2p",
                   "factor": 1.0}, {"class": "coll_large", "factor": 1.02}])"}) {
      nlohmann::json seen = nlohmann::json::parse(fact);
      seen["metrics"] = nlohmann::json::parse(figures);
      const Diagnosis diagnosis = diagnose(parse_observation(seen.dump(), "healthy"));
      EXPECT_TRUE(diagnosis.findings.empty()) << seen.dump() << ": " << diagnosis.sentence;
    }
  }
}

TEST(Robustness, TwoFaultsAtOnceAreBothNamed) {
  const Diagnosis diagnosis = diagnose(parse_observation(
      R"({"metrics": [{"class": "launch", "factor": 4.0}, {"class": "gemm16", "factor": 1.4}],
          "environment": {"CUDA_LAUNCH_BLOCKING": "1"},
          "telemetry": {"power_limit_w": 300, "power_limit_default_w": 700, "throttle_reasons": ["sw_power_cap"]}})",
      "two"));
  ASSERT_GE(diagnosis.findings.size(), 2u);
  std::set<std::string> causes;
  for (const Finding& finding : diagnosis.findings) causes.insert(finding.cause);
  EXPECT_TRUE(causes.contains("cuda_launch_blocking"));
  EXPECT_TRUE(causes.contains("sw_power_cap"));
}

TEST(Robustness, WhatCannotBeNamedIsSaidWithWhatItIsNot) {
  const Diagnosis diagnosis = diagnose(parse_observation(
      R"({"metrics": [{"class": "h2d", "factor": 2.0}, {"class": "gemm16", "factor": 1.0}],
          "telemetry": {"pcie_generation": 4, "pcie_generation_max": 4, "pcie_width": 16, "pcie_width_max": 16},
          "probes": [{"name": "pin_to_local_numa", "outcome": "no_change"}]})",
      "unknown"));
  EXPECT_TRUE(diagnosis.findings.empty()) << diagnosis.sentence;
  EXPECT_EQ(diagnosis.state, State::unknown);
  std::set<std::string> excluded;
  for (const Excluded& one : diagnosis.excluded) excluded.insert(one.cause);
  EXPECT_TRUE(excluded.contains("numa_misplacement"));
  EXPECT_TRUE(excluded.contains("pcie_link_degraded"));
  EXPECT_THAT(diagnosis.sentence, testing::HasSubstr("numa_misplacement"));
  EXPECT_FALSE(diagnosis.needed.empty());
}

}  // namespace
}  // namespace gpugauge::diagnose
