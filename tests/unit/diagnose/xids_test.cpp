// Which numbers of the kernel log (Xid) tell of a link, and which of the memory.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"

namespace gpugauge::diagnose {
namespace {
namespace xids {

/// True when the kernel log's line with this number is evidence for the cause, beside a slow class.
bool counts_for(const std::string& cause, const std::string& slow_class, int number) {
  const std::string line = fmt::format("NVRM: Xid (PCI:0000:18:00): {}, an error", number);
  const Diagnosis told = diagnose(parse_observation(
      fmt::format(R"({{"metrics": [{{"class": "{}", "factor": 2}}], "log": ["{}"]}})", slow_class, line),
      "made"));
  return std::any_of(told.findings.begin(), told.findings.end(), [&](const Finding& finding) {
    return finding.cause == cause &&
           std::any_of(finding.evidence.begin(), finding.evidence.end(),
                       [&](const std::string& sentence) { return sentence.find(line) != std::string::npos; });
  });
}

TEST(Xids, OfALinkThatFailed) {
  for (const int number : {74, 136, 144, 147, 150})
    EXPECT_TRUE(counts_for("nvlink_partial", "p2p", number)) << number;
  for (const int number : {137, 143, 155})
    EXPECT_FALSE(counts_for("nvlink_partial", "p2p", number)) << number;
}

TEST(Xids, OfMemoryThatLostARow) {
  for (const int number : {48, 63, 64, 94, 95, 140, 171, 172})
    EXPECT_TRUE(counts_for("hbm_row_remap", "hbm", number)) << number;
  for (const int number : {31, 92, 168}) EXPECT_FALSE(counts_for("hbm_row_remap", "hbm", number)) << number;
}

TEST(Xids, InWordsThatSomebodySays) {
  const auto said = [](const std::string& note) {
    return diagnose(parse_observation(
        R"({"metrics": [{"class": "application", "fails": true, "note": ")" + note + R"("}]})", "made"));
  };
  const Diagnosis lost = said("it dies with Xid 79, a reboot helps for a day");
  ASSERT_FALSE(lost.findings.empty());
  EXPECT_EQ(lost.findings.front().cause, "gpu_lost");
  EXPECT_TRUE(said("it dies, but there is no Xid 79").findings.empty());
}

TEST(Xids, OfTheFirmware) {
  for (const int number : {119, 120}) EXPECT_TRUE(counts_for("gsp_firmware", "launch", number)) << number;
  EXPECT_FALSE(counts_for("gsp_firmware", "launch", 109));
}

}  // namespace xids
}  // namespace
}  // namespace gpugauge::diagnose
