// What the monitor alarms of, in every format that lists cases.
#include "report/declines.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/digest.hpp"

namespace gpugauge::report {
namespace {

using testing::HasSubstr;

judge::Decline decline(const std::string& metric, double change, std::optional<double> again = {}) {
  return {metric, metric.substr(0, metric.find(':')), "2026-03-01T02:00:00Z", 9, change, .03, again};
}

TEST(Declines, AreToldInOneSentence) {
  EXPECT_EQ(sentence_on({}), "");
  EXPECT_THAT(
      sentence_on({decline("memory/copy:bandwidth", .018, .019), decline("memory/read:bandwidth", .011)}),
      HasSubstr(": memory/copy:bandwidth by 1.8% in 9 checks since 2026-03-01 (1.9% when measured again); "
                "memory/read:bandwidth by 1.1% in 9 checks since 2026-03-01 (not measured again). This "
                "decides nothing"));
  std::vector<judge::Decline> many;
  many.reserve(5);
  for (int i = 0; i < 5; ++i) many.push_back(decline(fmt::format("a/{}:rate", i), .02));
  EXPECT_THAT(sentence_on(many), HasSubstr("; and 2 more."));
}

TEST(Declines, AreCasesInDoubtBesideTheVerdictAndTheOutcomeStays) {
  Report report;
  report.devices.emplace_back();
  DeviceReport& device = report.devices.back();
  judge::Verdict ok;
  ok.kind = judge::VerdictKind::ok;
  ok.metric = "memory/copy:bandwidth";
  ok.metric_class = "hbm";
  device.verdicts = {ok};
  device.declines = {decline(ok.metric, .018)};
  device.outcome = report.outcome = {judge::ExitCode::pass, "pass: 1 of 1 metrics within limits"};
  const Digest made = digest(&report);
  ASSERT_EQ(made.parts.size(), 1U);
  ASSERT_EQ(made.parts[0].cases.size(), 2U);
  const Case& worst = made.parts[0].cases[0];
  EXPECT_EQ(worst.name, "monitor: memory/copy:bandwidth");
  EXPECT_EQ(worst.suite, "hbm");
  EXPECT_EQ(worst.word, "declining");
  EXPECT_EQ(worst.state, CaseState::skipped);
  EXPECT_EQ(worst.change, .018);
  EXPECT_EQ(made.parts[0].cases[1].state, CaseState::passed);
}

}  // namespace
}  // namespace gpugauge::report
