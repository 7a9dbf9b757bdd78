// Baselines whose rounds are of few boots or days: what they show counts above a multiple of the tolerance.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_rounds.hpp"
#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ProvisionalBaseline, AProvisionalBaselineIsSaidAndCountsUnlessThePolicySaysOtherwise) {
  baseline::Baseline baseline = make_baseline(10);
  for (result::Run& run : baseline.runs) {
    run.boot_id = "one";
    run.started = "2026-01-01T00:00:00Z";
  }
  const Judgement counted = check(baseline, {.triad = 2});
  EXPECT_THAT(counted.remarks, Contains(HasSubstr("provisional")));
  EXPECT_FALSE(of(counted, triad).advisory);
  Policy policy;
  policy.provisional_is_advisory = true;
  EXPECT_TRUE(of(check(baseline, {.triad = 2}, nullptr, policy), triad).advisory);
}

TEST(ProvisionalBaseline, AProvisionalBaselineCountsOnlyWhatIsLargerThanTwiceTheTolerance) {
  baseline::Baseline baseline = make_baseline(10);
  const double tau = tolerance({}, "host_memory");
  const double slower =
      1 + 1.5 * tau;  // a regression, and not one that differences between boots explain away
  const Verdict mature = of(check(baseline, {.latency = slower}), latency);
  EXPECT_EQ(mature.kind, VerdictKind::regressed);
  EXPECT_FALSE(mature.advisory);
  for (result::Run& run : baseline.runs) {
    run.boot_id = "one";
    run.started = "2026-01-01T00:00:00Z";
  }
  ASSERT_TRUE(baseline.provisional());
  const Verdict provisional = of(check(baseline, {.latency = slower}), latency);
  EXPECT_EQ(provisional.kind, VerdictKind::regressed);
  EXPECT_TRUE(provisional.advisory);
  EXPECT_THAT(provisional.reason, HasSubstr("from a provisional baseline it counts above"));
  EXPECT_FALSE(of(check(baseline, {.latency = 1 + 2.5 * tau}), latency).advisory);
}

/// All rounds of one boot and day.
baseline::Baseline provisional_baseline(int rounds) {
  baseline::Baseline baseline = make_baseline(rounds);
  for (result::Run& run : baseline.runs) {
    run.boot_id = "one";
    run.started = "2026-01-01T00:00:00Z";
  }
  return baseline;
}

TEST(ProvisionalBaseline, WhatAProvisionalBaselineIsSaidToDetectCounts) {
  const baseline::Baseline baseline = provisional_baseline(10);
  ASSERT_TRUE(baseline.provisional());
  const double tau = tolerance({}, "host_memory");
  const double drop = *of(check(baseline, {}), latency).minimum_detectable_drop;
  EXPECT_GT(drop, 2 * tau);
  for (const Sensitivity& row : sensitivity(baseline)) {
    if (row.metric == latency) {
      EXPECT_DOUBLE_EQ(row.minimum_detectable_drop, drop);
    }
  }
  EXPECT_LT(*of(check(make_baseline(10), {}), latency).minimum_detectable_drop, 2 * tau);
  const Verdict found = of(check(baseline, {.latency = 1.01 + drop}), latency);
  EXPECT_EQ(found.kind, VerdictKind::regressed);
  EXPECT_FALSE(found.advisory);
}

TEST(ProvisionalBaseline, AProvisionalBaselineNeverAsksForALossOfMoreThanEverything) {
  Policy policy;
  policy.tolerance["host_memory"] = .5;
  const Verdict lost = of(check(provisional_baseline(10), {.triad = 50}, nullptr, policy), triad);
  EXPECT_EQ(lost.kind, VerdictKind::regressed);
  EXPECT_FALSE(lost.advisory) << lost.reason;
  const Verdict less = of(check(provisional_baseline(10), {.triad = 3}, nullptr, policy), triad);
  EXPECT_TRUE(less.advisory);
  EXPECT_THAT(less.reason, HasSubstr("it counts above 75.0%"));
}

TEST(ProvisionalBaseline, ARegressionAboutWhatCountsIsMeasuredFurther) {
  const baseline::Baseline baseline = provisional_baseline(10);
  const auto judged = [&](const std::vector<double>& rounds) {
    std::vector<result::Run> runs;
    runs.reserve(rounds.size());
    for (const double slow : rounds) runs.push_back(make_run(900 + runs.size(), {.latency = slow}));
    return judge_baseline(runs, baseline);
  };
  const Judgement open = judged({1.4, 1.2});
  EXPECT_EQ(of(open, latency).kind, VerdictKind::inconclusive);
  EXPECT_FALSE(of(open, latency).advisory);
  EXPECT_THAT(of(open, latency).reason, HasSubstr("on which side of 21.0% it lies"));
  EXPECT_THAT(open.request.benchmarks, ElementsAre("host/latency"));
  const Verdict counted = of(judged({1.4, 1.2, 1.45, 1.45, 1.45, 1.45}), latency);
  EXPECT_EQ(counted.kind, VerdictKind::regressed);
  EXPECT_FALSE(counted.advisory) << counted.reason;
  EXPECT_GT(*counted.change, .3);
}

TEST(ProvisionalBaseline, APolicyThatMakesItAdvisoryExcusesNothingThatVanishedOrFailed) {
  Policy policy;
  policy.provisional_is_advisory = true;
  result::Run run = make_run(900);
  drop_benchmark(run, "host/wake");
  change(run, "host/triad", [](result::BenchmarkResult& found) {
    found.verifications = {{"every element", true, 1e-3, 1e-6}};
  });
  const Judgement judged = judge_baseline({run}, provisional_baseline(10), policy);
  EXPECT_EQ(of(judged, wake).kind, VerdictKind::missing);
  EXPECT_FALSE(of(judged, wake).advisory);
  EXPECT_EQ(of(judged, triad).kind, VerdictKind::failed);
  EXPECT_FALSE(of(judged, triad).advisory);
  EXPECT_TRUE(of(judged, latency).advisory);
}

TEST(ProvisionalBaseline, OneRoundFarOutDoesNotMakeAProvisionalBaselineCount) {
  // Two bad rounds in the baseline: five are needed to show a regression.
  baseline::Baseline baseline = make_baseline(10);
  for (const std::size_t bad : {3U, 7U}) baseline.runs[bad] = make_run(50 + bad, {1.3, 1.3, 1.3});
  for (result::Run& run : baseline.runs) {
    run.boot_id = "one";
    run.started = "2026-01-01T00:00:00Z";
  }
  ASSERT_TRUE(baseline.provisional());
  const double slower = 1 + 1.5 * tolerance({}, "host_memory");
  const auto judged = [&](double last) {
    std::vector<result::Run> rounds;
    for (const double times : {slower, slower, slower, slower, last, slower, slower, slower})
      rounds.push_back(make_run(900 + rounds.size(), {.latency = times}));
    return of(judge_baseline(rounds, baseline), latency);
  };
  const Verdict carried = judged(7.0);
  EXPECT_EQ(carried.kind, VerdictKind::regressed);
  EXPECT_GT(*carried.change, 2 * carried.tolerance);
  EXPECT_TRUE(carried.advisory);
  EXPECT_THAT(carried.reason, HasSubstr("in the middle one of its rounds"));
  EXPECT_THAT(judged(slower).reason, Not(HasSubstr("in the middle one")));
}

TEST(ProvisionalBaseline, OneSlowRoundDoesNotCountHoweverFewRoundsAPolicyAllows) {
  const baseline::Baseline baseline = provisional_baseline(10);
  const double slower = 1 + 1.5 * tolerance({}, "host_memory");
  for (const std::vector<double>& times :
       {std::vector{slower, 1.8}, {1.8, slower}, {slower, slower, 1.8}, {slower, 1.8, slower}}) {
    Policy policy;
    policy.rules.max_rounds = static_cast<int>(times.size());
    std::vector<result::Run> rounds;
    rounds.reserve(times.size());
    for (const double each : times) rounds.push_back(make_run(900 + rounds.size(), {.latency = each}));
    const Verdict verdict = of(judge_baseline(rounds, baseline, policy), latency);
    EXPECT_TRUE(verdict.kind != VerdictKind::regressed || verdict.advisory) << verdict.reason;
    rounds.clear();
    for (std::size_t i = 0; i < times.size(); ++i) rounds.push_back(make_run(900 + i, {.latency = 1.8}));
    const Verdict all = of(judge_baseline(rounds, baseline, policy), latency);
    EXPECT_EQ(all.kind, VerdictKind::regressed);
    EXPECT_FALSE(all.advisory) << all.reason;
  }
}

TEST(ProvisionalBaseline, OneSlowRoundIsNotWorseThanWhatWasAccepted) {
  baseline::Baseline baseline = make_baseline(10);
  const double slower = 1 + 1.5 * tolerance({}, "host_memory");
  baseline.log.push_back({"2025-12-01T00:00:00Z", "root@node", "new kernel", std::nullopt,
                          baseline::AcceptedChange{latency, "second", 8e-8, 8e-8 * slower, "", ""}});
  Policy policy;
  policy.rules.max_rounds = 3;
  const auto judged = [&](const std::vector<double>& times) {
    std::vector<result::Run> rounds;
    rounds.reserve(times.size());
    for (const double each : times) rounds.push_back(make_run(900 + rounds.size(), {.latency = each}));
    return of(judge_baseline(rounds, baseline, policy), latency);
  };
  EXPECT_TRUE(judged({slower, slower, 1.8}).advisory) << judged({slower, slower, 1.8}).reason;
  EXPECT_FALSE(judged({slower, 1.8, 1.8}).advisory);
}

TEST(ProvisionalBaseline, WhatAProvisionalBaselineCallsNoisyCountsFarBeyondItsNoiseAndElseCostsNoRound) {
  baseline::Baseline baseline = make_baseline(10);
  // Spread the rounds so far that twice the tolerance is hidden in them.
  double factor = 1;
  for (result::Run& run : baseline.runs) {
    factor += .15;
    for (result::Process& process : run.processes)
      for (result::BenchmarkResult& found : process.samples->benchmarks)
        for (result::Metric& metric : found.metrics)
          if (result::metric_key(found.id, metric.name) == triad) metric.value *= factor;
  }
  ASSERT_FALSE(baseline.provisional());
  const Judgement mature = judge_baseline({make_run(900, {.triad = 50})}, baseline);
  EXPECT_TRUE(of(mature, triad).minimum_detectable_drop.value() > .2);
  EXPECT_THAT(mature.request.benchmarks, ElementsAre("host/triad"));
  EXPECT_EQ(of(check(baseline, {.triad = 50}), triad).kind, VerdictKind::regressed);
  EXPECT_FALSE(of(check(baseline, {.triad = 50}), triad).advisory);

  for (result::Run& run : baseline.runs) {
    run.boot_id = "same";
    run.started = "2026-01-01T00:00:00Z";
  }
  ASSERT_TRUE(baseline.provisional());
  const Judgement hidden = judge_baseline({make_run(900, {.triad = 1.2})}, baseline);
  EXPECT_THAT(hidden.request.benchmarks, IsEmpty());
  EXPECT_TRUE(of(hidden, triad).advisory);
  const Judgement far = check(baseline, {.triad = 50});
  EXPECT_EQ(of(far, triad).kind, VerdictKind::regressed);
  EXPECT_FALSE(of(far, triad).advisory) << of(far, triad).reason;
  EXPECT_GT(*of(far, triad).minimum_detectable_drop, *of(mature, triad).minimum_detectable_drop)
      << "from where it counts";
}

}  // namespace
}  // namespace gpugauge::judge
