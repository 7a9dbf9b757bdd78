// What the monitor alarms of, in every format that lists cases.
#include <gtest/gtest.h>

#include "report/digest.hpp"

namespace gpugauge::report {
namespace {

TEST(Declines, AreCasesInDoubtBesideTheVerdictAndTheOutcomeStays) {
  Report report;
  report.devices.emplace_back();
  DeviceReport& device = report.devices.back();
  judge::Verdict ok;
  ok.kind = judge::VerdictKind::ok;
  ok.metric = "memory/copy:bandwidth";
  ok.metric_class = "hbm";
  device.verdicts = {ok};
  device.declines = {{ok.metric, "memory/copy", "2026-03-01T02:00:00Z", 9, .018, .03, std::nullopt}};
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
