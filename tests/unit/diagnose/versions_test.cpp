// Versions with a suffix: what stands behind the dotted number makes a version neither newer nor another.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"
#include "diagnose/seen.hpp"

namespace gpugauge::diagnose {
namespace {
namespace versions {

/// True when the diagnosis says these words of the cause, for it or against it.
bool told_of(const std::string& observation, const std::string& cause, const std::string& words) {
  const Diagnosis told = diagnose(parse_observation(observation, "made"));
  std::vector<std::string> sentences;
  const auto add = [&](const std::vector<Excluded>& others) {
    for (const Excluded& one : others)
      if (one.cause == cause) sentences.push_back(one.why);
  };
  add(told.excluded);
  add(told.unproven);
  for (const Finding& finding : told.findings) {
    add(finding.excluded);
    add(finding.unproven);
    if (finding.cause == cause)
      sentences.insert(sentences.end(), finding.evidence.begin(), finding.evidence.end());
  }
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
}

/// Two inventory facts that should have the same version.
bool differ(const std::string& one, const std::string& other) {
  const Observation it = parse_observation(
      fmt::format(R"({{"inventory": {{"driver.version": "{}", "driver.kernel_module_version": "{}"}}}})", one,
                  other),
      "made");
  return Seen(it).versions_differ("driver.version", "driver.kernel_module_version").has_value();
}

TEST(Versions, OfAPackageAndOfAFileAreTheSame) {
  EXPECT_FALSE(differ("580.65.06-1", "580.65.06"));
  EXPECT_FALSE(differ("580.65.06", "580.65.06-0ubuntu0.24.04.1"));
  EXPECT_FALSE(differ("2.1.0+cu121", "2.1.0"));
  EXPECT_FALSE(differ("2.0rc1", "2.0"));
  EXPECT_FALSE(differ("580", "580.65.06"));
  EXPECT_TRUE(differ("580.65.06-1", "580.82.07-1"));
  EXPECT_TRUE(differ("12.9", "12.10"));
}

TEST(Versions, StandBehindWords) {
  const auto score_of = [](const std::string& after) {
    const Diagnosis told = diagnose(parse_observation(
        R"({"metrics": [{"class": "gemm16", "factor": 1.5}], "changed": {"driver": ["535.129.03", ")" +
            after +
            R"("]}, "probes": [{"name": "change_version", "outcome": "recovers", "detail": "driver=560.35.03"}]})",
        "made"));
    for (const Finding& one : told.findings)
      if (one.cause == "driver_regression") return one.score;
    return 0.;
  };
  EXPECT_LT(score_of("550.54.14"), confident);
  EXPECT_EQ(score_of("nvidia 550.54.14"), score_of("550.54.14"));
}

/// A newer driver that recovers proves nothing against what came with the slow one.
TEST(Versions, ASuffixMakesNoDriverNewer) {
  const auto is_proven_by = [](const std::string& driver) {
    const Diagnosis told = diagnose(parse_observation(
        fmt::format(
            R"({{"about": {{"compared_with": "earlier"}}, "metrics": [{{"class": "gemm16", "factor": 1.5}}],
            "changed": {{"driver": ["535.54.03", "550.54.15"]}},
            "probes": [{{"name": "change_version", "outcome": "recovers", "detail": "driver={}"}}]}})",
            driver),
        "made"));
    return !told.findings.empty() && told.findings.front().cause == "driver_regression" &&
           told.findings.front().score >= confident;
  };
  EXPECT_FALSE(is_proven_by("560.35.03"));
  EXPECT_FALSE(is_proven_by("560.35.03-1"));
  EXPECT_TRUE(is_proven_by("535.54.03"));
  EXPECT_TRUE(is_proven_by("535.54.03-1"));
  EXPECT_TRUE(is_proven_by("550.54.15-1")) << "another package of the same version";
}

TEST(Versions, ACandidateBeforeTheReleaseIsBeforeIt) {
  const auto told_by_ucx = [](const std::string& version) {
    return fmt::format(
        R"({{"metrics": [{{"class": "p2p", "factor": 3, "scope": {{"library": "ucx"}}}}],
            "changed": {{"driver": ["535.54.03", "550.54.15"]}},
            "log": ["ucx_info: UCX version {} revision 1"]}})",
        version);
  };
  const std::string cause = "comm_lib_hook_broken_by_driver";
  EXPECT_TRUE(told_of(told_by_ucx("1.18.0"), cause, "log: UCX 1.18.0"));
  EXPECT_TRUE(told_of(told_by_ucx("1.18-rc2"), cause, "log: UCX 1.18-rc2"));
  EXPECT_FALSE(told_of(told_by_ucx("1.18.1"), cause, "log: UCX"));
}

TEST(Versions, WhatIsNoComputeCapabilityIsNotAnOldOne) {
  const auto on = [](const std::string& capability) {
    return fmt::format(
        R"({{"about": {{"gpu": "NVIDIA H100", "compute_capability": "{}", "compared_with": "earlier"}},
            "metrics": [{{"class": "gemm8", "factor": 2}}], "log": ["emulates fp8"]}})",
        capability);
  };
  EXPECT_TRUE(told_of(on("8.0"), "fp8_not_native", "has no fp8 instructions"));
  EXPECT_FALSE(told_of(on("unknown"), "fp8_not_native", "has no fp8 instructions"));
}

}  // namespace versions
}  // namespace
}  // namespace gpugauge::diagnose
