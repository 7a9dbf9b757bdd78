// What rules a cause out that figures alone would suggest, and that a report never both excludes a cause and
// names or asks for it. Made-up observations as a check makes them.
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"

namespace gpugauge::diagnose {
namespace {
namespace excluded {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Diagnosis of(const std::string& text) {
  return diagnose(parse_observation(text, "excluded"));
}

double score(const std::string& text, const std::string& cause) {
  for (const Finding& finding : of(text).findings)
    if (finding.cause == cause) return finding.score;
  return 0;
}

std::string why_not(const std::string& text, const std::string& cause) {
  for (const Scored& one : score_all(parse_observation(text, "excluded")))
    if (one.signature->name == cause) return one.argument.why_not();
  return "no such cause";
}

double most(const std::string& text, const std::string& cause) {
  for (const Scored& one : score_all(parse_observation(text, "excluded")))
    if (one.signature->name == cause) return one.argument.most();
  return -1;
}

/// Copies, or launches, that are slower under a governor that saves power.
std::string governor(const std::string& before, double copies, double launches) {
  return fmt::format(R"({{"about": {{"compared_with": "earlier", "changed_is_all": true}},
      "metrics": [{{"class": "h2d", "factor": {}}}, {{"class": "d2h", "factor": {}}},
                  {{"class": "launch", "factor": {}}}, {{"class": "gemm16", "factor": 1}},
                  {{"class": "hbm", "factor": 1}}],
      "inventory": {{"host.governor": "powersave"}},
      "changed": {{"host.governor": ["{}", "powersave"]}}}})",
                     copies, copies, launches, before);
}

TEST(Excluded, AGovernorSlowsLaunchesFirst) {
  for (const char* before : {"absent", "performance"}) {
    EXPECT_EQ(score(governor(before, 1.8, 1), "cpu_governor"), 0) << before;
    EXPECT_EQ(why_not(governor(before, 1.8, 1), "cpu_governor"), "launch is unchanged, predicted slower")
        << before;
  }
  EXPECT_GE(score(governor("performance", 1.8, 1.5), "cpu_governor"), confident);
}

TEST(Excluded, AnAbsentGovernorIsNoOtherOne) {
  EXPECT_LT(score(governor("absent", 1, 1.5), "cpu_governor"), confident);
  EXPECT_GT(score(governor("performance", 1, 1.5), "cpu_governor"),
            score(governor("absent", 1, 1.5), "cpu_governor"));
}

TEST(Excluded, ThatASettingIsSoAndThatItBecameSoIsOneFact) {
  const Diagnosis diagnosis = of(governor("performance", 1, 1.5));
  ASSERT_FALSE(diagnosis.findings.empty());
  for (const Finding& finding : diagnosis.findings) {
    ASSERT_EQ(finding.cause, "cpu_governor");
    EXPECT_THAT(finding.evidence, Contains("host.governor changed from performance to powersave"));
    EXPECT_THAT(finding.evidence, Not(Contains("host.governor = powersave")));
  }
}

/// Products of cuBLAS and of the gauge's own kernels, and what else differs.
std::string products(double cublas, double own, const std::string& changed, const std::string& more = "") {
  return fmt::format(R"({{"about": {{"compared_with": "earlier", "changed_is_all": true}},
      "metrics": [
        {{"class": "gemm16", "factor": {0},
          "scope": {{"op": "cublas/bf16/lt/4096x4096x4096:throughput", "library": "cublaslt"}}}},
        {{"class": "gemm16", "factor": {1},
          "scope": {{"op": "peak/bf16/mma_sync:throughput", "library": "gpugauge"}}}},
        {{"class": "hbm", "factor": 1}}, {{"class": "conv", "factor": 1}}, {{"class": "launch", "factor": 1}}],
      "inventory": {{"cublas.version": "13.1.0.3"{3}}}, "changed": {{{2}}}}})",
                     cublas, own, changed, more);
}

const char* const new_cublas = R"("cublas.version": ["12.9.1.4", "13.1.0.3"])";

TEST(Excluded, ALibraryOfOneVersionOnBothSidesDidNotChange) {
  EXPECT_EQ(score(products(2, 1, ""), "cublas_version_regression"), 0);
  EXPECT_EQ(why_not(products(2, 1, ""), "cublas_version_regression"),
            "cublas.version is 13.1.0.3 on both sides");
  EXPECT_GT(score(products(2, 1, new_cublas), "cublas_version_regression"), 0);
  const std::string libraries = R"(, "cudnn.version": "9.14.0", "nccl.version": "2.28.3")";
  for (const char* cause : {"cudnn_version_regression", "nccl_version_regression"}) {
    EXPECT_EQ(most(products(2, 1, "", libraries), cause), 0) << cause;
    EXPECT_THAT(why_not(products(2, 1, "", libraries), cause), HasSubstr("on both sides")) << cause;
  }
}

TEST(Excluded, WhatFasterPeersHaveAlikeIsNoCauseEither) {
  const auto among = [](const std::string& changed) {
    return fmt::format(R"({{"about": {{"compared_with": "peers", "changed_is_all": true}},
      "metrics": [{{"class": "gemmtf32", "factor": 3}}, {{"class": "gemm16", "factor": 1}}, {{"class": "hbm", "factor": 1}}],
      "environment": {{"NVIDIA_TF32_OVERRIDE": "0"}}, "changed": {{{}}}}})",
                       changed);
  };
  EXPECT_GE(score(among(R"("env.NVIDIA_TF32_OVERRIDE": ["absent", "0"])"), "tf32_env_override"), confident);
  EXPECT_THAT(of(among(R"("env.NVIDIA_TF32_OVERRIDE": ["absent", "0"])")).findings.front().evidence,
              Not(Contains(HasSubstr("changed from"))));
  EXPECT_LT(score(among(""), "tf32_env_override"), confident);
  EXPECT_EQ(why_not(among(""), "tf32_env_override"), "its peers have it alike");
}

TEST(Excluded, AVersionThatIsNotKnownMayHaveComeWithAnotherComponent) {
  const auto nccl = [](const std::string& changed) {
    const Observation seen = parse_observation(products(2, 1, changed), "excluded");
    return Seen(seen).same_version("nccl");
  };
  EXPECT_TRUE(nccl("").has_value());
  EXPECT_FALSE(nccl(R"("framework.version": ["2.4", "2.5"])").has_value());
  const Observation part = parse_observation(R"({"metrics": [{"class": "gemm16", "factor": 2}],
      "about": {"compared_with": "earlier"}, "inventory": {"cublas.version": "13.1"}, "changed": {}})",
                                             "excluded");
  EXPECT_FALSE(Seen(part).same_version("cublas")) << "something else may have changed";
}

TEST(Excluded, WhereOwnProductsAreAsSlowItIsNoLibrary) {
  EXPECT_EQ(score(products(2, 2, new_cublas), "cublas_version_regression"), 0);
  EXPECT_THAT(why_not(products(2, 2, new_cublas), "cublas_version_regression"),
              HasSubstr("without the library are as slow: gemm16 (peak/"));
  EXPECT_GT(score(products(2, 1.05, new_cublas), "cublas_version_regression"), 0);
}

TEST(Excluded, ALibraryIsShownByItsOwnFigures) {
  for (const Finding& finding : of(products(2, 1.3, new_cublas)).findings) {
    if (finding.cause != "cublas_version_regression") continue;
    EXPECT_THAT(finding.evidence, Not(Contains(HasSubstr("peak/"))));
  }
  EXPECT_GT(score(products(2, 1.3, new_cublas), "cublas_version_regression"), 0);
}

std::string hot(int clock, const std::string& more = "") {
  return fmt::format(R"({{"metrics": [{{"class": "gemm16", "factor": 1.2}}, {{"class": "hbm", "factor": 1}}],
      "telemetry": {{"temperature_c": 87, "sm_clock_mhz": {}, "sm_clock_expected_mhz": 1900{}}}}})",
                     clock, more);
}

TEST(Excluded, HeatThatLeavesTheClockAsItWasSlowsNothing) {
  EXPECT_EQ(score(hot(1890), "thermal_throttle"), 0);
  EXPECT_THAT(why_not(hot(1890), "thermal_throttle"), HasSubstr("the SM clock is as expected"));
  EXPECT_GT(score(hot(1500), "thermal_throttle"), 0);
  EXPECT_GT(score(hot(1890, R"(, "throttle_reasons": ["sw_thermal"])"), "thermal_throttle"), 0);
}

std::string tf32(const std::string& scope, const std::string& more = "") {
  return fmt::format(R"({{"metrics": [{{"class": "gemmtf32", "factor": 14, "scope": {{{}}}}},
      {{"class": "gemm16", "factor": 1}}, {{"class": "hbm", "factor": 1}}],
      "kernels": ["ampere_sgemm_128x64_nn"]{}}})",
                     scope, more);
}

TEST(Excluded, WhereNoFrameworkRunsItsDefaultIsNotToBlame) {
  const char* const cause = "tf32_disabled_by_framework_default";
  const std::string own = R"("op": "cublas/tf32/sgemm:throughput", "library": "cublas")";
  EXPECT_EQ(score(tf32(own), cause), 0);
  EXPECT_THAT(why_not(tf32(own), cause), HasSubstr("no framework runs there"));
  EXPECT_EQ(score(tf32(""), cause), 0) << "no framework is known";
  EXPECT_GT(score(tf32(R"("framework": "torch")"), cause), 0);
  EXPECT_GT(score(tf32(own, R"(, "inventory": {"framework.name": "torch"})"), cause), 0);
}

std::string start(double driver) {
  return fmt::format(R"({{"metrics": [
      {{"class": "first_launch", "factor": 6, "scope": {{"op": "first_launch/kernel/lazy:first_launch"}}}},
      {{"class": "init", "factor": 6, "scope": {{"op": "first_launch/context:context"}}}},
      {{"class": "init", "factor": {}, "scope": {{"op": "first_launch/context:driver_start"}}}},
      {{"class": "gemm16", "factor": 1}}, {{"class": "launch", "factor": 1}}]}})",
                     driver);
}

TEST(Excluded, WhatSlowsTheDriversStartIsNoCompiler) {
  EXPECT_EQ(score(start(6), "ptx_jit_startup"), 0);
  EXPECT_THAT(why_not(start(6), "ptx_jit_startup"), HasSubstr("what compiles nothing is as slow"));
  EXPECT_GT(score(start(1), "ptx_jit_startup"), 0);
}

TEST(Excluded, SizesThatAreMultiplesAreNotMisaligned) {
  const auto named = [](const std::string& sizes) {
    return fmt::format(R"({{"metrics": [{{"class": "gemm16", "factor": 3,
        "scope": {{"op": "cublas/bf16/lt/{}:throughput"}}}}]}})",
                       sizes);
  };
  EXPECT_EQ(most(named("4096x4096x4096"), "tc_misaligned_dims"), 0);
  for (const char* open : {"4096x4097x4096", "large"})
    EXPECT_EQ(most(named(open), "tc_misaligned_dims"), 1) << open;
}

/// Names of the causes that the diagnosis says it is not.
std::set<std::string> said_not(const Diagnosis& diagnosis) {
  std::set<std::string> out;
  for (const Excluded& one : diagnosis.excluded) out.insert(one.cause);
  for (const Finding& finding : diagnosis.findings)
    for (const Excluded& one : finding.excluded) out.insert(one.cause);
  return out;
}

TEST(Excluded, IsNeitherNamedNorOpenNorAskedFor) {
  int excluded = 0, open = 0;
  for (const std::string& text :
       {governor("performance", 1.8, 1), governor("performance", 1.8, 1.5), products(2, 1, new_cublas),
        products(15, 1, new_cublas), hot(1500), start(1), tf32(R"("framework": "torch")")}) {
    const Diagnosis diagnosis = of(text);
    const std::set<std::string> no = said_not(diagnosis);
    excluded += static_cast<int>(no.size());
    std::set<std::string> asked;
    for (const Finding& finding : diagnosis.findings) {
      EXPECT_FALSE(no.contains(finding.cause)) << finding.cause << " is found and excluded: " << text;
      for (const Excluded& one : finding.unproven) asked.insert(one.cause);
    }
    for (const Excluded& one : diagnosis.unproven) asked.insert(one.cause);
    for (const Needed& needed : diagnosis.needed) asked.insert(needed.cause);
    for (const Question& question : diagnosis.questions) {
      asked.insert(question.cause);
      asked.insert(question.other);
    }
    open += static_cast<int>(asked.size());
    for (const std::string& cause : asked)
      EXPECT_FALSE(no.contains(cause)) << cause << " is open and excluded: " << text;
  }
  EXPECT_GT(excluded, 0);
  EXPECT_GT(open, 0);
}

TEST(Excluded, ThatNothingPointsToItIsNoExclusion) {
  const Diagnosis diagnosis = of(start(1));
  ASSERT_FALSE(diagnosis.findings.empty());
  for (const Excluded& one : diagnosis.findings.front().excluded)
    EXPECT_THAT(one.why, Not(HasSubstr("nothing that was seen")));
  EXPECT_THAT(diagnosis.findings.front().unproven,
              Contains(testing::Field(&Excluded::why, "nothing that was seen points to it")));
}

TEST(Excluded, AFigureAgainstALimitIsAShareOfIt) {
  const Observation seen = parse_observation(
      R"({"metrics": [{"class": "gemm16", "factor": 4, "judged": "slower", "note": "against the physical limit"}]})",
      "excluded");
  EXPECT_EQ(Seen(seen).slower({"gemm16"}).value_or(""), "gemm16 reaches 25% of the physical limit");
}

}  // namespace excluded
}  // namespace
}  // namespace gpugauge::diagnose
