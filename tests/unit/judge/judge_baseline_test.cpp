#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_rounds.hpp"
#include "judge/judge.hpp"
#include "judge/scale.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Scale, TurnsValuesAndChangesRoundAndBack) {
  using result::Direction;
  for (const Direction better : {Direction::higher, Direction::lower}) {
    EXPECT_NEAR(from_scale(to_scale(3.5, better), better), 3.5, 1e-12);
    EXPECT_NEAR(relative_of(step_of(.25, better), better), .25, 1e-12);
    EXPECT_GT(step_of(.1, better), 0);
  }
  EXPECT_LT(to_scale(2, Direction::higher), to_scale(1, Direction::higher));
  EXPECT_NEAR(relative_of(to_scale(1, Direction::higher) - to_scale(2, Direction::higher), Direction::higher),
              .5, 1e-12);
  EXPECT_NEAR(relative_of(to_scale(2, Direction::lower) - to_scale(1, Direction::lower), Direction::lower), 1,
              1e-12);
}

TEST(JudgeBaseline, TheSameMachineIsOkAfterOneRound) {
  int rounds = 0;
  const Judgement judgement = check(make_baseline(10), {}, &rounds);
  EXPECT_EQ(rounds, 1);
  ASSERT_EQ(judgement.verdicts.size(), 3U);
  for (const Verdict& verdict : judgement.verdicts) {
    EXPECT_EQ(verdict.kind, VerdictKind::ok) << verdict.metric;
    EXPECT_EQ(verdict.tolerance, .10);
    EXPECT_FALSE(verdict.advisory);
    EXPECT_GE(verdict.minimum_detectable_drop.value(), .10 - 1e-9);
  }
  EXPECT_THAT(judgement.remarks, IsEmpty());
}

TEST(JudgeBaseline, AskedForAreOnlyTheBenchmarksInDoubt) {
  const baseline::Baseline baseline = make_baseline(10);
  const Judgement first = judge_baseline({make_run(900, {.triad = 2})}, baseline);
  EXPECT_THAT(first.request.benchmarks, ElementsAre("host/triad"));
  EXPECT_EQ(first.request.pause_seconds, 0) << "at once before round 2";
  EXPECT_THAT(of(first, triad).reason, HasSubstr("a further round is needed"));
  EXPECT_EQ(of(first, triad).kind, VerdictKind::inconclusive);
}

TEST(JudgeBaseline, HalfTheBandwidthIsRegressedAndTheRestOk) {
  int rounds = 0;
  const Judgement judgement = check(make_baseline(10), {.triad = 2}, &rounds);
  EXPECT_LE(rounds, 3);
  const Verdict& verdict = of(judgement, triad);
  EXPECT_EQ(verdict.kind, VerdictKind::regressed);
  EXPECT_NEAR(verdict.change.value(), .5, .01);
  EXPECT_NEAR(verdict.value.value(), 1e10, 2e8);
  EXPECT_NEAR(verdict.baseline.value(), 2e10, 2e8);
  EXPECT_GT(verdict.interval.value(), 0);
  EXPECT_EQ(of(judgement, latency).kind, VerdictKind::ok);
  EXPECT_EQ(of(judgement, wake).kind, VerdictKind::ok);
}

TEST(JudgeBaseline, TwiceTheLatencyIsAChangeOfOne) {
  const Judgement judgement = check(make_baseline(10), {.latency = 2});
  EXPECT_EQ(of(judgement, latency).kind, VerdictKind::regressed);
  EXPECT_NEAR(of(judgement, latency).change.value(), 1, .02);
}

TEST(JudgeBaseline, AFifthMoreLatencyIsFoundAndThreePercentIsWithinTolerance) {
  EXPECT_EQ(of(check(make_baseline(10), {.latency = 1.2}), latency).kind, VerdictKind::regressed);
  EXPECT_EQ(of(check(make_baseline(10), {.latency = 1.03}), latency).kind, VerdictKind::ok);
}

TEST(JudgeBaseline, ATighterPolicyFindsFivePercent) {
  Policy policy;
  policy.tolerance["host_memory"] = .03;
  const Judgement judgement = check(make_baseline(10), {.triad = 1.05}, nullptr, policy);
  EXPECT_EQ(of(judgement, triad).kind, VerdictKind::regressed);
  EXPECT_EQ(of(judgement, latency).kind, VerdictKind::ok);
}

TEST(JudgeBaseline, TwiceAsFastIsImproved) {
  const Judgement judgement = check(make_baseline(10), {.triad = .5});
  EXPECT_EQ(of(judgement, triad).kind, VerdictKind::improved);
  EXPECT_NEAR(of(judgement, triad).change.value(), -1, .02);
  EXPECT_THAT(of(judgement, triad).reason, HasSubstr("stale"));
}

TEST(JudgeBaseline, ACoarseClockWidensTheTolerance) {
  baseline::Baseline baseline = make_baseline(10);
  result::Run now = make_run(900, {.wake = 1.3});
  const auto coarse = [](result::BenchmarkResult& found) { found.metrics[0].resolution = 1e-6; };
  for (result::Run& run : baseline.runs) change(run, "host/wake", coarse);
  change(now, "host/wake", coarse);
  const Judgement judgement = judge_baseline({now}, baseline);
  EXPECT_NEAR(of(judgement, wake).tolerance, .4, .01) << "two ticks of 1 us at 5 us";
  EXPECT_NE(of(judgement, wake).kind, VerdictKind::regressed);
}

TEST(JudgeBaseline, ABenchmarkThatIsGoneIsMissingWithTheReason) {
  result::Run run = make_run(900);
  for (result::Process& process : run.processes) process.samples->benchmarks.pop_back();
  EXPECT_EQ(of(judge_baseline({run}, make_baseline(10)), wake).kind, VerdictKind::missing);

  run = make_run(900);
  change(run, "host/wake", [](result::BenchmarkResult& found) {
    found.status = result::Status::skipped;
    found.reason = "one processor only";
    found.metrics.clear();
  });
  const Judgement skipped = judge_baseline({run}, make_baseline(10));
  EXPECT_EQ(of(skipped, wake).kind, VerdictKind::missing);
  EXPECT_THAT(of(skipped, wake).reason, HasSubstr("one processor only"));
  EXPECT_THAT(skipped.request.benchmarks, IsEmpty());
}

TEST(JudgeBaseline, AFamilyThatDidNotRunIsMissingAndOneThatCrashedFailed) {
  result::Run run = make_run(900);
  run.processes.clear();
  EXPECT_THAT(of(judge_baseline({run}, make_baseline(10)), triad).reason, HasSubstr("host was not run"));
  run = make_run(900);
  for (result::Process& process : run.processes) {
    process.samples.reset();
    process.status = result::Status::failed;
    process.reason = "ended by SIGSEGV";
  }
  const Judgement judgement = judge_baseline({run}, make_baseline(10));
  EXPECT_EQ(of(judgement, triad).kind, VerdictKind::failed);
  EXPECT_THAT(of(judgement, triad).reason, HasSubstr("SIGSEGV"));
}

TEST(JudgeBaseline, WhatAnInterruptionCutOffIsNotMissing) {
  result::Run run = make_run(900);
  run.processes.clear();
  run.complete = false;
  run.partial_reason = "interrupted by SIGINT";
  EXPECT_EQ(of(judge_baseline({run}, make_baseline(10)), triad).kind, VerdictKind::inconclusive);
}

TEST(JudgeBaseline, AWrongResultFailsWhateverItsSpeed) {
  result::Run run = make_run(900, {.triad = .5});
  change(run, "host/triad", [](result::BenchmarkResult& found) {
    found.verifications = {{"every element", true, 1e-3, 1e-6}};
  });
  const Judgement judgement = judge_baseline({run}, make_baseline(10));
  EXPECT_EQ(of(judgement, triad).kind, VerdictKind::failed);
  EXPECT_THAT(of(judgement, triad).reason, HasSubstr("0.001"));
}

TEST(JudgeBaseline, AMetricWithoutABaselineIsNewAndARecordedOneIsIgnored) {
  result::Run run = make_run(900);
  for (result::Process& process : run.processes) {
    process.samples->benchmarks.push_back(
        benchmark("host/zeta", metric("latency", "second", result::Direction::lower, "host_cpu", 1e-6)));
    process.samples->benchmarks.push_back(
        benchmark("host/recorded", metric("latency", "second", result::Direction::lower, "host_cpu", 1e-6)));
    process.samples->benchmarks.back().metrics[0].judged = false;
    process.samples->benchmarks.back().metrics[0].note = "for the record";
  }
  const Judgement judgement = judge_baseline({run}, make_baseline(10));
  EXPECT_EQ(of(judgement, "host/zeta:latency").kind, VerdictKind::new_metric);
  EXPECT_EQ(judgement.verdicts.size(), 4U);
  EXPECT_TRUE(std::is_sorted(judgement.verdicts.begin(), judgement.verdicts.end(),
                             [](const Verdict& a, const Verdict& b) { return a.metric < b.metric; }));
}

TEST(JudgeBaseline, AMetricThatIsOnlyRecordedThisTimeIsInconclusive) {
  result::Run run = make_run(900);
  change(run, "host/wake", [](result::BenchmarkResult& found) {
    found.metrics[0].judged = false;
    found.metrics[0].note = "too few batches";
  });
  const Judgement judgement = judge_baseline({run}, make_baseline(10));
  EXPECT_EQ(of(judgement, wake).kind, VerdictKind::inconclusive);
  EXPECT_THAT(of(judgement, wake).reason, HasSubstr("too few batches"));
}

TEST(JudgeBaseline, AnotherUnitIsNotCompared) {
  result::Run run = make_run(900);
  change(run, "host/wake", [](result::BenchmarkResult& found) { found.metrics[0].unit = "hertz"; });
  EXPECT_EQ(of(judge_baseline({run}, make_baseline(10)), wake).kind, VerdictKind::missing);
}

TEST(JudgeBaseline, ASelectedRunIsJudgedOnItsSelectionOnly) {
  result::Run run = make_run(900);
  run.only = {"host/triad"};
  for (result::Process& process : run.processes)
    std::erase_if(process.samples->benchmarks, [](const auto& found) { return found.id != "host/triad"; });
  const Judgement judgement = judge_baseline({run}, make_baseline(10));
  ASSERT_EQ(judgement.verdicts.size(), 1U);
  EXPECT_EQ(judgement.verdicts[0].metric, triad);
}

TEST(JudgeBaseline, FourRoundsDecideNothingAndSayWhatIsNeeded) {
  const Judgement judgement = check(make_baseline(4), {.triad = 2});
  EXPECT_EQ(of(judgement, triad).kind, VerdictKind::inconclusive);
  EXPECT_THAT(of(judgement, triad).reason, HasSubstr("verdicts need 5"));
  EXPECT_TRUE(of(judgement, triad).minimum_detectable_drop);
  EXPECT_THAT(judgement.remarks, Contains(HasSubstr("has 4 rounds and verdicts need 5")));
  EXPECT_FALSE(of(check(make_baseline(1), {}), triad).minimum_detectable_drop);
}

TEST(JudgeBaseline, NoPolicyMakesWrongBitsAdvisory) {
  baseline::Baseline baseline = make_baseline(5);
  const auto noting = [](result::Run& run, const char* sum) {
    for (result::Process& process : run.processes)
      process.samples->benchmarks.front().notes["checksum"] = sum;
  };
  for (result::Run& run : baseline.runs) noting(run, "aa");
  result::Run now = make_run(900);
  noting(now, "bb");
  Policy policy;
  policy.metrics.push_back({"*", std::nullopt, true, "its times are noisy here"});
  const Judgement judged = judge_baseline({now}, baseline, policy);
  const auto wrong = std::find_if(judged.verdicts.begin(), judged.verdicts.end(),
                                  [](const Verdict& v) { return v.kind == VerdictKind::failed; });
  ASSERT_NE(wrong, judged.verdicts.end());
  EXPECT_FALSE(wrong->advisory);
  EXPECT_THAT(wrong->reason, HasSubstr("always counts"));
}

TEST(JudgeBaseline, ARunThatBeganBeforeItsBaselineIsSaidToBe) {
  const baseline::Baseline pinned = make_baseline(10);
  std::vector<result::Run> rounds{make_run(900)};
  EXPECT_THAT(judge_baseline(rounds, pinned).remarks, IsEmpty());
  rounds.front().started = "2019-01-01T00:00:00+00:00";
  EXPECT_THAT(judge_baseline(rounds, pinned).remarks,
              Contains(HasSubstr("The run began at 2019-01-01T00:00:00 and the last round of its baseline at "
                                 "2025-12-10T00:00:00: ")));
  rounds.front() = pinned.runs.front();
  EXPECT_THAT(judge_baseline(rounds, pinned).remarks, IsEmpty()) << "a round of it";
}

TEST(JudgeBaseline, ABaselineWhoseOwnRoundsAreOftenSlowSaysSo) {
  baseline::Baseline baseline = make_baseline(13);
  for (const std::size_t bad : {1U, 3U, 5U, 7U, 9U, 11U})
    baseline.runs[bad] = make_run(50 + bad, {1.3, 1.3, 1.3});
  EXPECT_THAT(check(baseline, {}).remarks,
              Contains(HasSubstr("slow so often that a round counts as slow only")));
  EXPECT_THAT(check(make_baseline(10), {}).remarks, Not(Contains(HasSubstr("slow so often"))));
}

TEST(JudgeBaseline, PausesGrowAndStayShortForTheHost) {
  // Two bad rounds in the baseline: that many now are no proof, and a slow metric stays in doubt.
  baseline::Baseline baseline = make_baseline(10);
  for (const std::size_t bad : {3U, 7U}) baseline.runs[bad] = make_run(50 + bad, {1.3, 1.3, 1.3});
  std::vector<result::Run> rounds;
  std::vector<double> host, gpu;
  for (int round = 1; round <= 4; ++round) {
    rounds.push_back(make_run(900 + rounds.size(), {.triad = 1.3}));
    for (const bool is_host : {true, false}) {
      rounds.front().device = is_host ? "host" : "GPU-1";
      const Request request = judge_baseline(rounds, baseline).request;
      ASSERT_THAT(request.benchmarks, ElementsAre("host/triad")) << rounds.size();
      (is_host ? host : gpu).push_back(request.pause_seconds);
    }
  }
  EXPECT_THAT(host, ElementsAre(0, 5, 15, 30));
  EXPECT_THAT(gpu, ElementsAre(0, 60, 300, 300));
}

TEST(Sensitivity, NamesCentreSpreadAndDetectableDropOfEachMetric) {
  const std::vector<Sensitivity> rows = sensitivity(make_baseline(10));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].metric, latency);
  EXPECT_EQ(rows[0].unit, "second");
  EXPECT_NEAR(rows[0].centre, 8e-8, 1e-9);
  EXPECT_GT(rows[0].spread, .0005);
  EXPECT_LT(rows[0].spread, .01);
  EXPECT_NEAR(rows[0].minimum_detectable_drop, .10, 1e-9);
  EXPECT_EQ(rows[0].rounds, 10);
  EXPECT_TRUE(sensitivity(make_baseline(1)).empty());
}

TEST(Tolerance, HasADefaultPerClassAndRefusesWhatIsNone) {
  EXPECT_EQ(tolerance({}, "gemm16"), .03);
  EXPECT_EQ(tolerance({}, "launch"), .05);
  EXPECT_EQ(tolerance({}, "host_cpu"), .10);
  Policy policy;
  policy.tolerance["gemm16"] = .01;
  EXPECT_EQ(tolerance(policy, "gemm16"), .01);
  policy.tolerance["gemm16"] = 1;
  EXPECT_THROW(tolerance(policy, "gemm16"), std::invalid_argument);
  EXPECT_THROW(tolerance({}, "teapot"), std::invalid_argument);
}

}  // namespace
}  // namespace gpugauge::judge
