// Figures that somebody judged, causes that are not proven, and a fault of the whole GPU that is no kernel's.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::diagnose {
namespace {
namespace judged {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

Diagnosis of(const std::string& text) {
  return diagnose(parse_observation(text, "judged"));
}

const Finding* finding(const Diagnosis& diagnosis, const std::string& cause) {
  for (const Finding& one : diagnosis.findings)
    if (one.cause == cause) return &one;
  return nullptr;
}

std::string why(const std::vector<Excluded>& causes, const std::string& cause) {
  for (const Excluded& one : causes)
    if (one.cause == cause) return one.why;
  return "";
}

TEST(Judged, WhatIsJudgedSlowerIsSlowerHoweverLittle) {
  const auto moved = [](const std::string& word) {
    return of(R"({"metrics": [{"class": "hbm", "factor": 1.012)" + word + "}]}");
  };
  EXPECT_EQ(moved("").state, State::healthy);
  EXPECT_EQ(moved(R"(, "judged": "unchanged")").state, State::healthy);
  EXPECT_EQ(moved(R"(, "judged": "slower")").state, State::unknown);
  EXPECT_EQ(of(R"({"metrics": [{"class": "hbm", "factor": 1.2, "judged": "unchanged"}]})").state,
            State::healthy);
}

TEST(Judged, ItIsNotCalledUnchanged) {
  const Diagnosis diagnosis = of(
      R"({"metrics": [{"class": "hbm", "factor": 1.029, "judged": "slower"}, {"class": "gemm16", "factor": 1}],
             "log": ["NVRM: Xid (PCI:0000:17:00): 63, pid=1, Row Remapper: New row"]})");
  ASSERT_EQ(diagnosis.findings.front().cause, "hbm_row_remap");
  EXPECT_THAT(why(diagnosis.findings.front().excluded, "hbm_thermal"), Not(HasSubstr("unchanged")));
  const Observation slower =
      parse_observation(R"({"metrics": [{"class": "hbm", "factor": 1.012, "judged": "slower"}]})", "judged");
  const Seen seen(slower);
  EXPECT_EQ(seen.slower({"hbm"}).value_or(""), "hbm is 1.012 times as slow");
  EXPECT_EQ(seen.movement("hbm"), Movement::slower);
  EXPECT_FALSE(seen.slower({"hbm"}, {}, 1.2));
}

TEST(Judged, AWordThatDoesNotExistIsRefused) {
  EXPECT_THROW(
      parse_observation(R"({"metrics": [{"class": "hbm", "factor": 1.1, "judged": "worse"}]})", "judged"),
      result::FormatError);
}

TEST(Judged, WithoutAFactorTheWordSaysHowItWent) {
  const auto seen_as = [](const char* metric) {
    return parse_observation(fmt::format(R"({{"metrics": [{}]}})", metric), "judged");
  };
  for (const char* slower : {R"({"class": "hbm", "judged": "slower"})",
                             R"({"class": "hbm", "factor": null, "judged": "slower"})"}) {
    const Observation it = seen_as(slower);
    EXPECT_EQ(Seen(it).slower({"hbm"}).value_or(""), "hbm is slower, by how much is not told") << slower;
    EXPECT_FALSE(Seen(it).fails({"hbm"})) << slower;
    EXPECT_FALSE(Seen(it).slower({"hbm"}, {}, much_slower_from)) << slower;
  }
  const Observation same = seen_as(R"({"class": "hbm", "judged": "unchanged"})");
  EXPECT_TRUE(Seen(same).unchanged({"hbm"}));
  EXPECT_TRUE(Seen(same).compared());
  const Observation faster = seen_as(R"({"class": "hbm", "judged": "faster"})");
  EXPECT_FALSE(Seen(faster).slower({"hbm"}));
  const Observation fails = seen_as(R"({"class": "hbm", "judged": "slower", "fails": true})");
  EXPECT_TRUE(Seen(fails).fails({"hbm"}));
}

/// All that the core clock bounds is 1.25 times as slow, and what memory bounds is as before.
std::string core(const std::string& telemetry) {
  return R"({"metrics": [{"class": "gemm16", "factor": 1.25}, {"class": "gemm32", "factor": 1.25},
      {"class": "gemmtf32", "factor": 1.25}, {"class": "conv", "factor": 1.25}, {"class": "hbm", "factor": 1},
      {"class": "primitive", "factor": 1.25, "scope": {"op": "cub/radix_sort_32"}},
      {"class": "primitive", "factor": 1, "scope": {"op": "cub/reduce"}}],
      "kernels": ["nvjet_qqtst_fp8", "ampere_sgemm"], "telemetry": {)" +
         telemetry + "}}";
}

TEST(Judged, ASlowClockIsNoKernelsFault) {
  for (const char* telemetry :
       {R"("sm_clock_mhz": 1584, "sm_clock_expected_mhz": 1980, "throttle_reasons": ["none"])", ""})
    EXPECT_EQ(finding(of(core(telemetry)), "kernel_specific"), nullptr) << telemetry;
  EXPECT_EQ(of(core(R"("sm_clock_mhz": 1584, "sm_clock_expected_mhz": 1980, "throttle_reasons": ["none"])"))
                .findings.front()
                .cause,
            "locked_clocks_left");
}

TEST(Judged, AlsoWhereOneClassIsSplitByIt) {
  const auto split = [](const std::string& others, const std::string& telemetry = "") {
    return of(R"({"metrics": [{"class": "gemm16", "factor": 1.25, "scope": {"op": "a"}},
        {"class": "gemm16", "factor": 1, "scope": {"op": "b"}})" +
              others + R"(], "telemetry": {)" + telemetry + "}}");
  };
  EXPECT_NE(finding(split(""), "kernel_specific"), nullptr);
  EXPECT_NE(finding(split(R"(, {"class": "conv", "factor": 1.25})"), "kernel_specific"), nullptr);
  EXPECT_EQ(finding(split(R"(, {"class": "conv", "factor": 1.25}, {"class": "fft", "factor": 1.25})"),
                    "kernel_specific"),
            nullptr);
  EXPECT_EQ(finding(split("", R"("sm_clock_mhz": 1584, "sm_clock_expected_mhz": 1980)"), "kernel_specific"),
            nullptr);
}

TEST(Judged, APrimitiveAloneIsAKernel) {
  const auto sort = [](const std::string& other) {
    return of(R"({"metrics": [{"class": "primitive", "factor": 1.25, "scope": {"op": "sort"}},
        {"class": "primitive", "factor": 1, "scope": {"op": "reduce"}}, )" +
              other + "]}");
  };
  EXPECT_NE(finding(sort(R"({"class": "gemm16", "factor": 1})"), "kernel_specific"), nullptr);
  for (const char* slow : {"gemm16", "gemmtf32", "hbm", "l2", "smem"})
    EXPECT_EQ(finding(sort(fmt::format(R"({{"class": "{}", "factor": 1.25}})", slow)), "kernel_specific"),
              nullptr)
        << slow;
}

TEST(Judged, AKernelIsEvidenceOfItsOwnFigureOnly) {
  const auto seen = [](const std::string& kernels, const std::string& other) {
    const Diagnosis diagnosis = of(R"({"metrics": [{"class": "gemm16", "factor": 1.25, "scope": {"op": "a"}},
        {"class": "gemm16", "factor": 1, "scope": {"op": "b"}})" +
                                   other + R"(], "kernels": [)" + kernels + "]}");
    const Finding* one = finding(diagnosis, "kernel_specific");
    return one == nullptr ? std::vector<std::string>{} : one->evidence;
  };
  EXPECT_THAT(seen(R"("one")", ""), Contains("kernel one"));
  EXPECT_THAT(seen(R"("one", "two")", ""), Not(Contains(HasSubstr("kernel "))));
  EXPECT_THAT(seen(R"("one")", R"(, {"class": "conv", "factor": 1.25})"), Not(Contains("kernel one")));
}

TEST(Judged, WhatIsNotShownIsNotExcludedAndIsAskedFor) {
  const Diagnosis diagnosis = of(R"({"metrics": [{"class": "gemm16", "factor": 1.25}],
      "changed": {"cuda": ["12.8", "13.0"], "driver": ["570", "580"], "os": ["a", "b"]}})");
  for (const auto* causes : {&diagnosis.excluded, &diagnosis.unproven})
    for (const Excluded& one : *causes)
      EXPECT_EQ(causes == &diagnosis.unproven,
                contains_any(one.why, {"not known", "is known to differ", "not measured again", "were not",
                                       "was not", "changed together"}))
          << one.cause << ": " << one.why;
  EXPECT_EQ(why(diagnosis.unproven, "hidden_power_state"), "its power is not known to be lower");
  EXPECT_THAT(of(R"({"metrics": [{"class": "gemm16", "factor": 1.25}]})").sentence,
              testing::AllOf(HasSubstr("; not proven: "), Not(HasSubstr("not hidden_power_state"))));
}

TEST(Judged, WhatWasReadSpeaksAgainstIt) {
  const auto power = [](const std::string& more) {
    return of(R"({"metrics": [{"class": "gemm16", "factor": 1.25}], "telemetry": {"power_w": 650)" + more +
              "}}");
  };
  EXPECT_EQ(why(power("").unproven, "hidden_power_state"), "its power is not known to be lower");
  const Diagnosis read = power(R"(, "power_expected_w": 660)");
  EXPECT_EQ(why(read.excluded, "hidden_power_state"), "it draws as much power as expected");
  EXPECT_EQ(why(read.unproven, "hidden_power_state"), "");
}

TEST(Judged, TheLowestBoundSaysWhichOfTheTwoItIs) {
  const auto bound = [](double against, double open) {
    Argument argument;
    argument.at_most(against, Fact("seen"));
    argument.unproven(open, Fact("missing"));
    EXPECT_EQ(argument.most(), std::min(against, open));
    return argument.why_unproven(named);
  };
  EXPECT_EQ(bound(.6, .5), "missing");
  EXPECT_EQ(bound(.5, .6), "");
  EXPECT_EQ(bound(.3, .2), "") << "what speaks against it is enough";
  Argument nothing;
  EXPECT_EQ(nothing.why_unproven(named), "");
  EXPECT_EQ(nothing.most(), 1);
}

}  // namespace judged
}  // namespace
}  // namespace gpugauge::diagnose
