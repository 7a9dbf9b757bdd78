// What the table of injected faults says, and how it ends.
#include "report/inject.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace gpugauge::report {
namespace {

using testing::HasSubstr;

InjectTrial trial(bool found, std::vector<std::string> causes) {
  InjectTrial out;
  out.found = found;
  out.causes = std::move(causes);
  out.seconds = 10;
  return out;
}

/// Two faults, each tried twice and found and named; a third that was not run.
InjectReport good() {
  InjectReport out;
  out.profile = "smoke";
  out.repeat = 2;
  out.healthy = {{"host", "a processor", "smoke", 5, ""}};
  for (const char* id : {"one", "two"}) {
    InjectedFault fault;
    fault.id = id;
    fault.what = "something is done";
    fault.device = "host";
    fault.causes = {"cause_a", "cause_b"};
    fault.trials = {trial(true, {"cause_a", "cause_c"}), trial(true, {"cause_b"})};
    out.faults.push_back(fault);
  }
  InjectedFault never;
  never.id = "three";
  never.what = "nothing is done";
  never.causes = {"cause_c"};
  never.not_run = "there is no way";
  out.faults.push_back(never);
  out.quiet = {trial(false, {})};
  return out;
}

TEST(Inject, AllFoundAndNamedPassesWhateverWasNotRun) {
  const judge::Outcome end = outcome(good());
  EXPECT_EQ(end.code, judge::ExitCode::pass);
  EXPECT_THAT(end.sentence, HasSubstr("2 of 2 faults"));
  EXPECT_THAT(end.sentence, HasSubstr("0 of 1 quiet run raised"));
}

TEST(Inject, OneThatWasNotFoundNotNamedOrNamedSecondFails) {
  for (const InjectTrial& bad :
       {trial(false, {"cause_a"}), trial(true, {}), trial(true, {"cause_c", "cause_a"})}) {
    InjectReport report = good();
    report.faults[1].trials[0] = bad;
    EXPECT_EQ(outcome(report).code, judge::ExitCode::regressed);
    EXPECT_THAT(outcome(report).sentence, HasSubstr("1 of 2 faults"));
    report.interrupted = true;
    EXPECT_EQ(outcome(report).code, judge::ExitCode::regressed) << "what was missed stays missed";
  }
}

TEST(Inject, AQuietRunThatFindsOrNamesIsAnAlarmAndOneWithoutAnAnswerNoPass) {
  for (const InjectTrial& alarm : {trial(true, {}), trial(false, {"cause_a"})}) {
    InjectReport report = good();
    report.quiet.push_back(alarm);
    EXPECT_EQ(outcome(report).code, judge::ExitCode::regressed);
    EXPECT_THAT(outcome(report).sentence, HasSubstr("1 of 2 quiet runs"));
    report.quiet.back().disturbed = {"Other work took a processor.", "So it was."};
    EXPECT_THAT(draw(report, Terminal{.width = 200}), HasSubstr("Other work took a processor. So it was."));
  }
  InjectReport report = good();
  report.quiet[0].problem = "the device was busy";
  EXPECT_EQ(outcome(report).code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(draw(report, Terminal{.width = 200}), HasSubstr("quiet run: the device was busy"));
}

TEST(Inject, WithoutATrialOrCutShortNothingIsProven) {
  InjectReport report = good();
  report.interrupted = true;
  EXPECT_EQ(outcome(report).code, judge::ExitCode::cannot_judge);
  report = good();
  report.quiet.clear();
  for (InjectedFault& fault : report.faults) fault.trials.clear();
  EXPECT_EQ(outcome(report).code, judge::ExitCode::cannot_judge);
}

TEST(Inject, WhatHasNothingToBeJudgedAgainstIsNoPassHoweverTheRestEnds) {
  InjectReport report = good();
  report.healthy[0] = {"host", "a processor", "smoke", 0, "the host is busy"};
  EXPECT_EQ(outcome(report).code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(outcome(report).sentence, HasSubstr("no healthy rounds of host to judge"));
  EXPECT_THAT(outcome(report).sentence, HasSubstr("2 of 2 faults"));
  report.faults[1].trials[0] = trial(true, {});
  EXPECT_EQ(outcome(report).code, judge::ExitCode::regressed) << "what was missed stays missed";
}

TEST(Inject, TheTableSaysWhatWasConfusedAndWhatWasNotRun) {
  InjectReport report = good();
  report.faults[1].trials = {trial(true, {"cause_c"}), trial(false, {})};
  const std::string page = draw(report, Terminal{.width = 200});
  EXPECT_THAT(page, HasSubstr("2/2"));
  EXPECT_THAT(page, HasSubstr("nothing 1, cause_c 1"));
  EXPECT_THAT(page, HasSubstr("three: nothing is done: there is no way"));
  const nlohmann::json made = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(made["schema"], "gpugauge.inject/1");
  EXPECT_EQ(made["outcome"]["exit_code"], 1);
  EXPECT_EQ(made["faults"][1]["confused_with"], (nlohmann::json{{"nothing", 1}, {"cause_c", 1}}));
  EXPECT_EQ(made["faults"][1]["found"], 1);
  EXPECT_EQ(made["faults"][1]["named_first"], 0);
  EXPECT_EQ(made["faults"][2]["run"], false);
  EXPECT_EQ(made["faults"][2]["not_run"], "there is no way");
}

TEST(InjectOutcome, WhereNothingWasTriedThereIsNoShareOfIt) {
  InjectReport report = good();
  report.faults.erase(report.faults.begin(), report.faults.begin() + 2);
  const judge::Outcome end = outcome(report);
  EXPECT_EQ(end.code, judge::ExitCode::cannot_judge) << "quiet runs alone certify nothing";
  EXPECT_THAT(end.sentence, HasSubstr("cannot judge: no fault was tried"));
  report.quiet.clear();
  EXPECT_EQ(outcome(report).code, judge::ExitCode::cannot_judge);
}

}  // namespace
}  // namespace gpugauge::report
