// One test a row of the table in exit_code.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Verdict verdict(VerdictKind kind, const std::string& metric = "m", bool advisory = false) {
  Verdict out;
  out.kind = kind;
  out.metric = metric;
  out.advisory = advisory;
  return out;
}

/// One healthy metric beside the others.
OutcomeInput with(std::vector<Verdict> verdicts) {
  verdicts.push_back(verdict(VerdictKind::ok, "healthy"));
  OutcomeInput input;
  input.verdicts = std::move(verdicts);
  return input;
}

TEST(Outcome, OkPasses) {
  const Outcome found = outcome(with({}));
  EXPECT_EQ(found.code, ExitCode::pass);
  EXPECT_EQ(found.sentence, "pass: 1 of 1 metric within tolerance and limits");
  EXPECT_EQ(found.found, std::nullopt);
}

TEST(Outcome, TellsTheGravestOfSeveralFindings) {
  EXPECT_EQ(outcome(with({verdict(VerdictKind::missing, "a"), verdict(VerdictKind::regressed, "b")})).found,
            VerdictKind::regressed);
  EXPECT_EQ(outcome(with({verdict(VerdictKind::regressed, "a"), verdict(VerdictKind::failed, "b")})).found,
            VerdictKind::failed);
}

TEST(Outcome, FailedRegressedAndMissingEndWithOne) {
  for (const VerdictKind kind : {VerdictKind::failed, VerdictKind::regressed, VerdictKind::missing}) {
    OutcomeInput input = with({verdict(kind, "gemm/a:throughput")});
    EXPECT_EQ(outcome(input).code, ExitCode::regressed) << to_string(kind);
    EXPECT_EQ(outcome(input).sentence, std::string(to_string(kind)) + ": 1 of 2 metrics (gemm/a:throughput)");
    EXPECT_EQ(outcome(input).found, kind);
    input.strict = true;
    EXPECT_EQ(outcome(input).code, ExitCode::regressed);
  }
}

TEST(Outcome, AFindingOutranksAnInterruptionAndAnUnmeasuredFamily) {
  OutcomeInput input = with({verdict(VerdictKind::regressed)});
  input.interrupted = true;
  input.judged = false;
  input.unmeasured_families = {"dnn (no library)"};
  EXPECT_EQ(outcome(input).code, ExitCode::regressed);
  EXPECT_THAT(outcome(input).sentence, EndsWith("; interrupted before everything was measured"));
}

TEST(Outcome, AnUnmeasuredRequiredFamilyCannotBeJudged) {
  OutcomeInput input = with({});
  input.unmeasured_families = {"dnn (libcudnn.so.9 is missing)"};
  EXPECT_EQ(outcome(input).code, ExitCode::cannot_judge);
  EXPECT_THAT(outcome(input).sentence,
              HasSubstr("1 family was not measured: dnn (libcudnn.so.9 is missing)"));
}

TEST(Outcome, WhatWasPinnedAndCannotBeHeldIsNoPass) {
  OutcomeInput input = with({});
  input.unusable_baseline = "runs/x.json is missing";
  EXPECT_EQ(outcome(input).code, ExitCode::cannot_judge);
  EXPECT_EQ(outcome(input).sentence,
            "cannot judge: the baseline of this machine cannot be used: runs/x.json is missing");
  input.verdicts.push_back(verdict(VerdictKind::failed));
  EXPECT_EQ(outcome(input).code, ExitCode::regressed) << "what failed without it is known";
}

TEST(Outcome, SaysWhetherAnythingWasDecided) {
  EXPECT_TRUE(outcome(with({})).decided);
  OutcomeInput input;
  input.verdicts = {verdict(VerdictKind::inconclusive)};
  EXPECT_EQ(outcome(input).code, ExitCode::pass);
  EXPECT_FALSE(outcome(input).decided);
}

TEST(Outcome, WithoutAJudgeOrAVerdictNothingPasses) {
  OutcomeInput input = with({});
  input.judged = false;
  EXPECT_EQ(outcome(input).code, ExitCode::cannot_judge);
  EXPECT_EQ(outcome(input).sentence, "cannot judge: nothing to judge the measurement by");
  input.not_comparable = "not comparable with the baseline golden";
  EXPECT_EQ(outcome(input).code, ExitCode::cannot_judge);
  EXPECT_EQ(outcome(input).sentence, "cannot judge: not comparable with the baseline golden");
  EXPECT_EQ(outcome({}).code, ExitCode::cannot_judge) << "never a silent pass";
}

TEST(Outcome, FamiliesThatWereLeftOutAreNoPassAndHideNothing) {
  OutcomeInput input = with({});
  input.left_out = "not wholly comparable with the baseline golden: measure again";
  EXPECT_EQ(outcome(input).code, ExitCode::cannot_judge);
  EXPECT_EQ(
      outcome(input).sentence,
      "cannot judge: not wholly comparable with the baseline golden: measure again; apart from that 1 of "
      "1 metric within tolerance and limits");
  input.verdicts.push_back(verdict(VerdictKind::regressed, "slow"));
  EXPECT_EQ(outcome(input).code, ExitCode::regressed);
}

TEST(Outcome, AnInterruptionCannotBeJudged) {
  OutcomeInput input = with({});
  input.interrupted = true;
  EXPECT_EQ(outcome(input).code, ExitCode::cannot_judge);
}

TEST(Outcome, InconclusiveAndUnstablePassWithACountAndEndWithFourWhenStrict) {
  for (const VerdictKind kind : {VerdictKind::inconclusive, VerdictKind::unstable}) {
    OutcomeInput input = with({verdict(kind)});
    EXPECT_EQ(outcome(input).code, ExitCode::pass);
    EXPECT_THAT(outcome(input).sentence, HasSubstr("1 " + std::string(to_string(kind))));
    input.strict = true;
    EXPECT_EQ(outcome(input).code, ExitCode::inconclusive);
  }
}

TEST(Outcome, NewAndImprovedPassAndAreSaid) {
  OutcomeInput input = with({verdict(VerdictKind::new_metric, "a"), verdict(VerdictKind::improved, "b")});
  input.strict = true;
  EXPECT_EQ(outcome(input).code, ExitCode::pass);
  EXPECT_THAT(outcome(input).sentence, HasSubstr("1 new, 1 improved"));
}

TEST(Outcome, AdvisoryVerdictsNeverCountAndAreSaid) {
  for (const VerdictKind kind : {VerdictKind::regressed, VerdictKind::failed, VerdictKind::missing,
                                 VerdictKind::inconclusive, VerdictKind::unstable}) {
    OutcomeInput input = with({verdict(kind, "m", true)});
    input.strict = true;
    EXPECT_EQ(outcome(input).code, ExitCode::pass) << to_string(kind);
    const bool finding = kind != VerdictKind::inconclusive && kind != VerdictKind::unstable;
    EXPECT_THAT(outcome(input).sentence,
                HasSubstr(finding ? "; 1 " + std::string(to_string(kind)) + ", which is advisory"
                                  : "; 1 too noisy or unknown to count"));
  }
}

Verdict physical(VerdictKind kind, const std::string& metric = "m", bool advisory = false) {
  Verdict out = verdict(kind, metric, advisory);
  out.judge = Judge::physical;
  return out;
}

TEST(Outcome, APhysicalOkHidesNoAdvisoryRegression) {
  OutcomeInput input;
  input.verdicts = {physical(VerdictKind::ok), verdict(VerdictKind::regressed, "m", true)};
  EXPECT_EQ(outcome(input).code, ExitCode::pass);
  EXPECT_EQ(outcome(input).sentence,
            "pass: 0 of 1 metric within tolerance and limits; 1 regressed, "
            "which is advisory");
  input = with(input.verdicts);
  EXPECT_EQ(outcome(input).sentence,
            "pass: 1 of 2 metrics within tolerance and limits; 1 regressed, which is advisory");
  input.verdicts[1] = verdict(VerdictKind::inconclusive, "m", true);
  EXPECT_THAT(outcome(input).sentence, HasSubstr("pass: 1 of 2 metrics within tolerance and limits; 1 too"));
}

TEST(Outcome, WithinToleranceIsWhatWasComparedWithATolerance) {
  OutcomeInput input;
  input.verdicts = {physical(VerdictKind::ok, "a"), physical(VerdictKind::ok, "b")};
  EXPECT_EQ(outcome(input).sentence, "pass: 2 of 2 metrics within limits");
  input.verdicts.push_back(verdict(VerdictKind::ok, "a"));
  EXPECT_EQ(outcome(input).sentence, "pass: 1 of 2 metrics within tolerance and limits, 1 within limits");
}

TEST(Outcome, ThatNoPeakIsKnownSaysNothingAgainstAComparison) {
  OutcomeInput input;
  input.verdicts = {physical(VerdictKind::inconclusive, "m", true), verdict(VerdictKind::ok)};
  EXPECT_EQ(outcome(input).sentence, "pass: 1 of 1 metric within tolerance and limits");
}

TEST(Outcome, PassSaysWhenNothingCouldBeDecided) {
  OutcomeInput input;
  input.verdicts = {verdict(VerdictKind::inconclusive)};
  EXPECT_EQ(outcome(input).code, ExitCode::pass);
  EXPECT_EQ(outcome(input).sentence,
            "pass, but nothing could be decided: 0 of 1 metric within tolerance and limits; 1 inconclusive");
  EXPECT_FALSE(outcome(input).decided);
  input.strict = true;
  EXPECT_EQ(outcome(input).code, ExitCode::inconclusive);
  input.strict = false;
  input.verdicts = {verdict(VerdictKind::regressed, "m", true)};
  EXPECT_TRUE(outcome(input).decided) << "it was decided, and accepted";
}

TEST(Outcome, LimitsThatWereKeptDecideNothingOfAComparison) {
  OutcomeInput input;
  input.verdicts = {physical(VerdictKind::ok, "a"), physical(VerdictKind::ok, "b"),
                    verdict(VerdictKind::inconclusive, "a"), verdict(VerdictKind::inconclusive, "c", true)};
  EXPECT_EQ(outcome(input).code, ExitCode::pass);
  EXPECT_FALSE(outcome(input).decided);
  EXPECT_EQ(
      outcome(input).sentence,
      "pass, but nothing could be decided: 1 of 3 metrics within limits; 1 inconclusive, 1 too noisy or "
      "unknown to count");
  input.verdicts.push_back(verdict(VerdictKind::ok, "d"));
  EXPECT_TRUE(outcome(input).decided);
  input.verdicts = {physical(VerdictKind::ok, "a")};
  EXPECT_TRUE(outcome(input).decided) << "only limits were asked";
  input.verdicts.push_back(verdict(VerdictKind::new_metric, "b"));
  EXPECT_TRUE(outcome(input).decided) << "a new metric was held against nothing";
}

TEST(Outcome, WhatAPersonAcceptedIsCalledThat) {
  OutcomeInput input;
  for (const VerdictKind kind : {VerdictKind::inconclusive, VerdictKind::regressed}) {
    input.verdicts = {verdict(kind, "m", true), verdict(VerdictKind::ok, "n")};
    input.verdicts[0].accepted = true;
    EXPECT_EQ(outcome(input).sentence, "pass: 1 of 2 metrics within tolerance and limits; 1 accepted");
    input.verdicts.pop_back();
    EXPECT_EQ(outcome(input).sentence, "pass: 0 of 1 metric within tolerance and limits; 1 accepted");
    EXPECT_TRUE(outcome(input).decided);
  }
}

TEST(Outcome, NamesTheWorstOfWhatIsOpen) {
  const auto open = [](const char* metric, double change) {
    Verdict out = verdict(VerdictKind::inconclusive, metric);
    out.tolerance = .1;
    out.change = change;
    return out;
  };
  EXPECT_EQ(
      outcome(with({open("a", .26)})).sentence,
      "pass: 1 of 2 metrics within tolerance and limits; 1 inconclusive (a, 26.0% worse, not confirmed)");
  EXPECT_EQ(outcome(with({open("a", .2), open("b", .26)})).sentence,
            "pass: 1 of 3 metrics within tolerance and limits; 2 inconclusive (worst: b, 26.0% worse, "
            "not confirmed)");
  EXPECT_EQ(outcome(with({open("a", .05)})).sentence,
            "pass: 1 of 2 metrics within tolerance and limits; 1 inconclusive");
}

TEST(Outcome, ALargeDropThatTooFewRoundsConfirmIsNoPass) {
  const auto dropped = [](double change, double interval, double detectable) {
    Verdict out = verdict(VerdictKind::inconclusive, "memory/copy/cold:bandwidth");
    out.tolerance = .03;
    out.change = change;
    out.interval = interval;
    out.minimum_detectable_drop = detectable;
    return with({out});
  };
  EXPECT_EQ(outcome(dropped(.501, .001, .02)).code, ExitCode::cannot_judge);
  EXPECT_EQ(outcome(dropped(.501, .001, .02)).sentence,
            "cannot judge: 1 metric is far worse (memory/copy/cold:bandwidth by 50.1%), and too few rounds "
            "were measured to confirm it: measure again");
  EXPECT_EQ(outcome(dropped(.065, .01, .02)).code, ExitCode::pass) << "within twice the tolerance at best";
  EXPECT_EQ(outcome(dropped(.501, .001, .6)).code, ExitCode::pass) << "noise of these rounds does that";
  OutcomeInput advisory = dropped(.501, .001, .02);
  advisory.verdicts.front().advisory = true;
  EXPECT_EQ(outcome(advisory).code, ExitCode::pass);
}

TEST(Outcome, AMetricCountsOnceWithItsGravestVerdict) {
  Verdict physical = verdict(VerdictKind::failed, "m");
  physical.judge = Judge::physical;
  const Outcome found =
      outcome(with({verdict(VerdictKind::missing, "m"), physical, verdict(VerdictKind::ok, "m")}));
  EXPECT_EQ(found.sentence, "failed: 1 of 2 metrics (m)");
  const Outcome hidden =
      outcome(with({verdict(VerdictKind::regressed, "m"), verdict(VerdictKind::failed, "m", true)}));
  EXPECT_EQ(hidden.code, ExitCode::regressed) << "an advisory verdict hides no counted one";
}

TEST(Outcome, NamesThreeMetricsAndCountsTheRest) {
  const Outcome found =
      outcome(with({verdict(VerdictKind::regressed, "a"), verdict(VerdictKind::regressed, "b"),
                    verdict(VerdictKind::missing, "c"), verdict(VerdictKind::missing, "d"),
                    verdict(VerdictKind::inconclusive, "e")}));
  EXPECT_EQ(found.sentence, "regressed: 2, missing: 2 of 6 metrics (a, b, c and 1 more); 1 inconclusive");
}

TEST(Words, EveryVerdictAndJudgeHasItsOwn) {
  EXPECT_EQ(to_string(VerdictKind::new_metric), "new");
  EXPECT_EQ(to_string(VerdictKind::inconclusive), "inconclusive");
  EXPECT_EQ(to_string(Judge::physical), "physical");
  EXPECT_THAT(std::string(to_string(Judge::peers)), Not(HasSubstr("unknown")));
}

TEST(ExitCode, TheGraverOfTwoIsTheOneThatCounts) {
  const std::vector<ExitCode> order{ExitCode::pass,      ExitCode::inconclusive, ExitCode::cannot_judge,
                                    ExitCode::regressed, ExitCode::error,        static_cast<ExitCode>(139)};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = 0; j < order.size(); ++j)
      EXPECT_EQ(graver(order[i], order[j]), i > j)
          << static_cast<int>(order[i]) << static_cast<int>(order[j]);
}

}  // namespace
}  // namespace gpugauge::judge
