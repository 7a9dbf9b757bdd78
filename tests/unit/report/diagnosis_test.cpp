// A diagnosis as a person and as a program sees it.
#include "report/diagnosis.hpp"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>

namespace gpugauge::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

diagnose::Diagnosis diagnosis_of(const char* seen) {
  return diagnose::diagnose(diagnose::parse_observation(seen, "test"));
}

constexpr const char* blocking =
    R"({"metrics": [{"class": "launch", "factor": 4}, {"class": "gemm16", "factor": 1}],
        "environment": {"CUDA_LAUNCH_BLOCKING": "1"}})";
constexpr const char* unknown = R"({"metrics": [{"class": "application", "factor": 1.3}]})";
constexpr const char* healthy = R"({"metrics": [{"class": "hbm", "factor": 1}]})";

TEST(DiagnosisReport, ShowsScoreEvidenceWhatItIsNotAndTheNextCommand) {
  const std::string text = draw(diagnosis_of(blocking), {});
  EXPECT_THAT(text, HasSubstr("1 cuda_launch_blocking"));
  EXPECT_THAT(text, HasSubstr("confident"));
  EXPECT_THAT(text, HasSubstr("evidence #"));
  EXPECT_THAT(text, HasSubstr("CUDA_LAUNCH_BLOCKING=1 in the environment"));
  EXPECT_THAT(text, HasSubstr("profiler_attached: "));
  EXPECT_THAT(text, HasSubstr("gpugauge explain cuda_launch_blocking"));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40);
}

TEST(DiagnosisReport, SaysWhyACauseIsNoFindingAndAsksNothingThere) {
  const auto diagnosis = diagnosis_of(
      R"({"metrics": [{"class": "launch", "factor": 4}, {"class": "host_cpu", "factor": 4}],
          "telemetry": {"cpu_load_percent": 77.72, "cpu_pressure_percent": 90}})");
  ASSERT_FALSE(diagnosis.findings.empty());
  ASSERT_EQ(diagnosis.findings.front().cause, "cpu_contention");
  std::map<std::string, std::string> why;
  for (const diagnose::Finding& finding : diagnosis.findings)
    for (const diagnose::Excluded& one : finding.excluded) {
      why.emplace(one.cause, one.why);
      EXPECT_THAT(one.why, Not(testing::EndsWith("?"))) << one.cause;
      EXPECT_NE(one.cause, "cpu_affinity_wrong") << "nothing speaks against it";
    }
  EXPECT_THAT(why.at("cpu_governor"),
              testing::AnyOf(HasSubstr("whatever their clock (cpu_load_percent = 77.72)"),
                             HasSubstr("whatever its clock (cpu_pressure_percent = 90)")));
  const auto& open = diagnosis.findings.front().unproven;
  const auto affinity = std::find_if(open.begin(), open.end(), [](const diagnose::Excluded& one) {
    return one.cause == "cpu_affinity_wrong";
  });
  ASSERT_NE(affinity, open.end());
  EXPECT_EQ(affinity->why, "nothing that was seen points to it");
}

TEST(DiagnosisReport, HasNoTitleAboveNothing) {
  EXPECT_THAT(draw(diagnosis_of(blocking), {}, "Cause"),
              testing::StartsWith("Cause\n\n1 cuda_launch_blocking"));
  const auto open = diagnosis_of(unknown);
  ASSERT_TRUE(open.findings.empty());
  EXPECT_THAT(draw(open, {}, "Cause"), Not(HasSubstr("Cause\n")));
}

TEST(DiagnosisReport, LeavesForeignTextNoControlCharacters) {
  const std::string text =
      draw(diagnosis_of("{\"metrics\": [{\"class\": \"launch\", \"factor\": 4}], \"environment\": "
                        "{\"CUDA_LAUNCH_BLOCKING\": \"1\\u001b[31m\"}}"),
           {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(DiagnosisReport, IsOneObjectWithTheKeysOfTheContract) {
  const auto json = nlohmann::ordered_json::parse(to_json(diagnosis_of(blocking)));
  ASSERT_GE(json.at("findings").size(), 1u);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.at("findings")[0].items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("cause", "score", "evidence", "excluded", "unproven", "next"));
  const auto& share = json.at("scores")[0];
  EXPECT_NEAR(share.at("evidence").get<double>() + share.at("pattern").get<double>(),
              share.at("score").get<double>(), .0011);
  for (const char* seen : {unknown, healthy})
    EXPECT_TRUE(nlohmann::json::parse(to_json(diagnosis_of(seen))).at("findings").empty());
}

TEST(DiagnosisReport, SaysApartWhatIsNotProven) {
  const auto open = diagnosis_of(R"({"metrics": [{"class": "gemm16", "factor": 1.25}]})");
  ASSERT_FALSE(open.unproven.empty());
  const std::string text = draw(open, {});
  EXPECT_THAT(text, HasSubstr("Not proven\n    open    "));
  EXPECT_THAT(text, HasSubstr("not proven: "));
  const auto json = nlohmann::json::parse(to_json(open));
  EXPECT_EQ(json.at("unproven_causes").size(), open.unproven.size());
  EXPECT_EQ(json.at("unproven_causes")[0].at("cause"), open.unproven.front().cause);
}

TEST(DiagnosisReport, EndsWithTheCodeThatIsDocumented) {
  EXPECT_EQ(exit_code(diagnosis_of(healthy)), 0);
  EXPECT_EQ(exit_code(diagnosis_of(R"({"schema": "gpugauge.observation/1"})")), 3) << "nothing compared";
  EXPECT_EQ(exit_code(diagnosis_of(blocking)), 1);
  EXPECT_EQ(exit_code(diagnosis_of(unknown)), 3);
}

}  // namespace
}  // namespace gpugauge::report
