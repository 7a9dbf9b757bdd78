// `doctor --error`: every code that users meet is explained, with what is found on the machine.
#include "stack/rules/error_codes.hpp"

#include <gmock/gmock.h>

#include "result/error.hpp"
#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<ErrorAnswer> explained(const std::string& word, const Inventory& inventory = h100_server()) {
  return explain_errors(word, {inventory, tables(), Policy::development, test_day});
}

ErrorAnswer one(const std::string& word, const Inventory& inventory = h100_server()) {
  const std::vector<ErrorAnswer> answers = explained(word, inventory);
  EXPECT_EQ(answers.size(), 1U) << word;
  return answers.empty() ? ErrorAnswer{} : answers.front();
}

std::vector<std::string> causes_of(const ErrorAnswer& answer) {
  std::vector<std::string> causes;
  for (const Finding& finding : answer.findings) causes.push_back(finding.cause);
  return causes;
}

TEST(ErrorCodes, ThoseThatUsersMeetAreExplainedInFull) {
  const std::vector<std::pair<std::string, std::vector<int>>> met{
      {"cuda", {2, 35, 46, 100, 101, 209, 222, 304, 700, 702, 719, 802, 803, 804, 999}},
      {"nvml", {4, 9, 12, 15, 18, 19}}};
  for (const auto& [api, codes] : met) {
    for (const int code : codes) {
      const ErrorAnswer answer = one(api + ":" + std::to_string(code));
      SCOPED_TRACE(api + " " + std::to_string(code));
      EXPECT_FALSE(answer.names.empty());
      EXPECT_FALSE(answer.meaning.empty());
      EXPECT_FALSE(answer.evidence.empty()) << "what was found on a machine";
      EXPECT_FALSE(answer.causes.empty());
      EXPECT_FALSE(answer.next.empty());
      EXPECT_FALSE(answer.source.empty());
    }
  }
}

TEST(ErrorCodes, WhatIsLookedAtIsOfCodesThatTheTablesExplain) {
  for (const ExplainedCode& code : codes_with_evidence()) {
    const std::string word = std::string(code.api) + ":" + std::to_string(code.code);
    EXPECT_FALSE(one(word).causes.empty()) << word;
  }
}

TEST(ErrorCodes, ByNumberByNameAndOfBothApis) {
  EXPECT_THAT(one("700").names, ElementsAre("cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_EQ(one("cudaerrorillegaladdress").code, 700);
  EXPECT_EQ(one(" CUDA_ERROR_NO_DEVICE ").code, 100);
  EXPECT_EQ(one("NVML_ERROR_GPU_IS_LOST").api, "nvml");
  EXPECT_EQ(explained("4").size(), 2U) << "a number of both";
  EXPECT_EQ(explained("999").size(), 2U);
  EXPECT_EQ(one("nvml:999").names.size(), 1U);
  EXPECT_EQ(one("803").api, "cuda") << "NVML has no such code";
  EXPECT_THAT(explained("12345"), IsEmpty());
  EXPECT_THAT(explained("-1"), IsEmpty());
  EXPECT_THAT(explained("99999999999999999999"), IsEmpty());
  EXPECT_THAT(explained("cudaErrorOfNobody"), IsEmpty());
  for (const char* const none : {"", ":", "gpu:1", ":5", "8 0 3", "cuda:", "\xff", "a;b"})
    EXPECT_THROW(explained(none), result::UsageError) << none;
}

TEST(ErrorCodes, EveryNameOfTheHeadersIsFound) {
  for (const ErrorCode& row : tables().error_codes) EXPECT_FALSE(explained(row.name).empty()) << row.name;
}

TEST(ErrorCodes, TheFindingsOfTheMachineThatExplainItAreNamed) {
  Inventory inventory = h100_server();
  set_all(inventory,
          {{"driver.libcuda_version", "580.95.05"}, {"cuda.init.code", "803"}, {"cuda.devices", "0"}});
  const ErrorAnswer mismatch = one("803", inventory);
  EXPECT_THAT(causes_of(mismatch), ElementsAre("umd_kmd_mismatch"));
  EXPECT_THAT(mismatch.evidence, Contains(HasSubstr("580.95.05")));
  EXPECT_THAT(causes_of(one("803")), IsEmpty()) << "a healthy machine explains nothing";
  EXPECT_THAT(causes_of(one("802", inventory)), Not(Contains("umd_kmd_mismatch")));
}

TEST(ErrorCodes, AMissingDriverExplainsTheMisleadingCode) {
  const ErrorAnswer answer = one("35", empty_machine());
  EXPECT_THAT(causes_of(answer), ElementsAre("no_nvidia_hardware"));
  EXPECT_THAT(answer.evidence, Contains("libcuda.so.1: absent (loader search)"));
}

TEST(ErrorCodes, GpusThatAreAlikeAreOneLine) {
  Inventory inventory = h100_server();
  EXPECT_THAT(one("46", inventory).evidence, Contains(HasSubstr("all 8 GPUs: compute mode")));
  set(inventory, "gpu.3.compute_mode", "prohibited", "nvml");
  const ErrorAnswer answer = one("46", inventory);
  EXPECT_THAT(answer.evidence, Contains(HasSubstr("GPU 3 (")));
  EXPECT_THAT(causes_of(answer), Contains("compute_mode_restricts"));
  EXPECT_THAT(answer.evidence, Contains(HasSubstr("GPUs 0-2 and 4-7: compute mode")));
}

TEST(ErrorCodes, WhatOneGpuTellsIsNotSaidOfAll) {
  Inventory inventory = h100_server();
  set(inventory, "gpu.3.lost", "yes", "nvml");  // the others have no such item
  for (const char* const code : {"nvml:15", "719", "101"}) {
    const std::vector<std::string> evidence = one(code, inventory).evidence;
    EXPECT_THAT(evidence, Contains(testing::MatchesRegex("GPU 3 \\(.*\\): lost: yes.*"))) << code;
    EXPECT_THAT(evidence, Not(Contains(HasSubstr("all 8 GPUs: lost")))) << code;
  }
}

}  // namespace
}  // namespace gpugauge::stack
