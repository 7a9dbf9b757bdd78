// A metric that the baseline judges and some processes now do not: the fault may be what silenced them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_rounds.hpp"
#include "judge/before_after.hpp"
#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The first so many processes of a run have too few batches to be judged by, and values so many times worse.
result::Run recorded_only(result::Run run, int processes, double worse = 1) {
  for (int i = 0; i < processes; ++i)
    for (result::BenchmarkResult& found : run.processes[static_cast<std::size_t>(i)].samples->benchmarks)
      if (found.id == "host/wake") {
        found.metrics[0].judged = false;
        found.metrics[0].note = "91 batches are fewer than the 100 that a p99 is judged from";
        found.metrics[0].value *= worse;
      }
  return run;
}

std::vector<result::Run> rounds_of(int rounds, int processes, double worse) {
  std::vector<result::Run> out;
  out.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i)
    out.push_back(recorded_only(make_run(900 + static_cast<std::uint64_t>(i)), processes, worse));
  return out;
}

TEST(Gaps, ATailThatGotSoSlowThatItIsNoLongerJudgedIsNotOkByTheOneHealthyProcess) {
  const Judgement first = judge_baseline(rounds_of(1, 4, 20), make_baseline(10));
  EXPECT_EQ(of(first, wake).kind, VerdictKind::inconclusive);
  EXPECT_FALSE(of(first, wake).advisory);
  EXPECT_THAT(of(first, wake).reason, HasSubstr("recorded only in 4 of 5 processes: 91 batches"));
  EXPECT_THAT(first.request.benchmarks, ::testing::ElementsAre("host/wake"));
  for (const int processes : {4, 5}) {
    const Judgement later = judge_baseline(rounds_of(3, processes, 20), make_baseline(10));
    EXPECT_EQ(of(later, wake).kind, VerdictKind::regressed) << processes;
    EXPECT_FALSE(of(later, wake).advisory);
    EXPECT_NEAR(*of(later, wake).change, 19, 1);
    EXPECT_THAT(of(later, wake).reason, HasSubstr("91 batches"));
  }
}

TEST(Gaps, WhatNoProcessOrNotEveryOneJudgesIsSaidAndIsNeverOk) {
  for (const int processes : {1, 2, 5}) {
    const Judgement judged = judge_baseline(rounds_of(1, processes, 1), make_baseline(10));
    EXPECT_EQ(of(judged, wake).kind, VerdictKind::inconclusive) << processes;
    EXPECT_FALSE(of(judged, wake).advisory);
    EXPECT_THAT(of(judged, wake).reason, HasSubstr("91 batches"));
    EXPECT_EQ(of(judged, latency).kind, VerdictKind::ok);
  }
}

TEST(Gaps, WhatTheBaselineItselfLeftOutIsNoGap) {
  baseline::Baseline pinned = make_baseline(10);
  for (result::Run& run : pinned.runs) run = recorded_only(run, 2);
  EXPECT_EQ(of(judge_baseline(rounds_of(1, 2, 1), pinned), wake).kind, VerdictKind::ok);
  EXPECT_EQ(of(judge_baseline(rounds_of(1, 3, 1), pinned), wake).kind, VerdictKind::inconclusive);
}

TEST(Gaps, ARoundOfTheBaselineThatJudgesNoneOfAMetricIsOneOfItsRounds) {
  baseline::Baseline pinned = make_baseline(10);
  for (const std::size_t round : {2U, 5U}) pinned.runs[round] = recorded_only(pinned.runs[round], 5);
  for (const int processes : {1, 5})
    EXPECT_EQ(of(judge_baseline(rounds_of(1, processes, 1), pinned), wake).kind, VerdictKind::ok)
        << processes;
  const std::vector<result::Run> after{recorded_only(make_run(60), 5), make_run(61)};
  const BeforeAfter sides = judge_before_after(pinned.runs, after);
  EXPECT_EQ(std::find_if(sides.verdicts.begin(), sides.verdicts.end(),
                         [](const Verdict& verdict) { return verdict.metric == wake; })
                ->kind,
            VerdictKind::ok);
}

/// The first so many processes skip a benchmark.
result::Run skipping(result::Run run, int processes) {
  for (int i = 0; i < processes; ++i)
    for (result::BenchmarkResult& found : run.processes[static_cast<std::size_t>(i)].samples->benchmarks)
      if (found.id == "host/wake") {
        found.status = result::Status::skipped;
        found.reason = "too little memory is free";
        found.metrics.clear();
      }
  return run;
}

TEST(Gaps, WhatIsOnlyRecordedInTheBaselineExcusesNoSilence) {
  baseline::Baseline pinned = make_baseline(10);
  pinned.runs[2] = recorded_only(pinned.runs[2], 5);
  EXPECT_EQ(of(judge_baseline({skipping(make_run(900), 4)}, pinned), wake).kind, VerdictKind::missing);
}

/// A run in which only the first so many processes are asked for a benchmark.
result::Run asked_of_few(result::Run run, std::size_t processes) {
  for (std::size_t i = processes; i < run.processes.size(); ++i)
    std::erase_if(run.processes[i].samples->benchmarks,
                  [](const auto& one) { return one.id == "host/wake"; });
  return run;
}

TEST(Gaps, ProcessesThatWereNotAskedLackNothing) {
  for (const std::size_t processes : {1U, 3U}) {
    baseline::Baseline pinned;  // of that benchmark alone
    for (std::uint64_t k = 0; k < 10; ++k) {
      result::Run run = asked_of_few(make_run(100 + k, {}, static_cast<int>(processes)), processes);
      run.only = {"host/wake"};
      drop_benchmark(run, "host/latency");
      drop_benchmark(run, "host/triad");
      pinned.runs.push_back(std::move(run));
    }
    const auto judged = [&](const result::Run& run) { return of(judge_baseline({run}, pinned), wake); };
    EXPECT_EQ(judged(asked_of_few(make_run(900), processes)).kind, VerdictKind::ok) << processes;
    // One that was asked and did not begin is a gap.
    result::Run gap = asked_of_few(make_run(900), processes);
    gap.processes[0].samples.reset();
    gap.processes[0].status = result::Status::failed;
    EXPECT_NE(judged(gap).kind, VerdictKind::ok) << processes;
    const std::vector<result::Run> after{asked_of_few(make_run(900), processes),
                                         asked_of_few(make_run(901), processes)};
    for (const Verdict& verdict : judge_before_after(pinned.runs, after).verdicts) {
      if (verdict.metric == wake) {
        EXPECT_EQ(verdict.kind, VerdictKind::ok) << verdict.reason;
      }
    }
  }
}

TEST(Gaps, WhatMostProcessesSkippedIsMissingAndWhatAFewDidInconclusive) {
  const Verdict most = of(judge_baseline({skipping(make_run(900), 4)}, make_baseline(10)), wake);
  EXPECT_EQ(most.kind, VerdictKind::missing);
  EXPECT_FALSE(most.advisory);
  EXPECT_THAT(most.reason, HasSubstr("in 4 of 5 processes"));
  EXPECT_THAT(most.reason, HasSubstr("too little memory is free"));
  const Verdict few = of(judge_baseline({skipping(make_run(900), 1)}, make_baseline(10)), wake);
  EXPECT_EQ(few.kind, VerdictKind::inconclusive);
  EXPECT_THAT(few.reason, HasSubstr("in 1 of 5 processes"));
}

/// Rounds of which the later ones are asked for one benchmark only; `skips` processes of each skip it.
std::vector<result::Run> rounds_with_skips(const std::vector<int>& skips, double slow = 1) {
  std::vector<result::Run> out;
  out.reserve(skips.size());
  for (const int processes : skips) {
    result::Run run = skipping(make_run(900 + out.size(), {1, 1, slow}), processes);
    if (!out.empty()) {
      run.only = {"host/wake"};
      drop_benchmark(run, "host/latency");
      drop_benchmark(run, "host/triad");
    }
    out.push_back(std::move(run));
  }
  return out;
}

TEST(Gaps, WhatALaterRoundLacksAltogetherIsMissingAndWhatItWasNotAskedForIsNot) {
  for (const int processes : {3, 5}) {
    const Judgement judged = judge_baseline(rounds_with_skips({0, processes, processes}), make_baseline(10));
    EXPECT_EQ(of(judged, wake).kind, VerdictKind::missing) << processes;
    EXPECT_FALSE(of(judged, wake).advisory);
    EXPECT_THAT(of(judged, wake).reason, HasSubstr("round 2: in"));
    EXPECT_THAT(of(judged, wake).reason, HasSubstr("too little memory is free"));
    EXPECT_EQ(of(judged, triad).kind, VerdictKind::ok);
  }
  // Its family did not even begin.
  std::vector<result::Run> rounds = rounds_with_skips({0, 0, 0});
  rounds[1].processes.clear();
  EXPECT_EQ(of(judge_baseline(rounds, make_baseline(10)), wake).kind, VerdictKind::missing);
}

TEST(Gaps, TheRoundThatLacksMostIsTheOneThatIsSaid) {
  for (const std::vector<int>& skips : {std::vector{1, 3, 3}, std::vector{3, 1, 0}, std::vector{3, 5, 0}}) {
    const Verdict verdict = of(judge_baseline(rounds_with_skips(skips), make_baseline(10)), wake);
    EXPECT_EQ(verdict.kind, VerdictKind::missing) << verdict.reason;
    EXPECT_THAT(verdict.reason, HasSubstr("in 3 of 5 processes"));
  }
}

TEST(Gaps, WhatExcusesAChangeExcusesNoSilence) {
  const double slow = 1 + 1.4 * tolerance({}, "host_cpu");
  baseline::Baseline young = make_baseline(10);
  for (result::Run& run : young.runs) {
    run.boot_id = "one";
    run.started = "2026-01-01T00:00:00Z";
  }
  baseline::Baseline accepted = make_baseline(10);
  accepted.log.push_back({"2025-12-01T00:00:00Z", "root@node", "new kernel", std::nullopt,
                          baseline::AcceptedChange{wake, "second", 5e-6, 5e-6 * slow, "", ""}});
  Policy careful;
  careful.provisional_is_advisory = true;
  for (const auto& [pinned, policy] :
       {std::pair{&young, Policy{}}, {&young, careful}, {&accepted, Policy{}}}) {
    const Verdict whole =
        of(judge_baseline(rounds_with_skips(std::vector(6, 0), slow), *pinned, policy), wake);
    EXPECT_EQ(whole.kind, VerdictKind::regressed);
    EXPECT_TRUE(whole.advisory) << whole.reason;
    for (const auto& [skips, kind] : {std::pair{3, VerdictKind::missing}, {2, VerdictKind::inconclusive}}) {
      const Verdict verdict =
          of(judge_baseline(rounds_with_skips(std::vector(6, skips), slow), *pinned, policy), wake);
      EXPECT_EQ(verdict.kind, kind) << verdict.reason;
      EXPECT_FALSE(verdict.advisory) << verdict.reason;
    }
  }
  Policy told;
  told.metrics.push_back({"host/wake:*", std::nullopt, true, "known"});
  EXPECT_TRUE(of(judge_baseline(rounds_with_skips({3}), make_baseline(10), told), wake).advisory);
  // A regression that counts stays one.
  const Verdict gone = of(judge_baseline(rounds_with_skips(std::vector(6, 3), 3), young), wake);
  EXPECT_EQ(gone.kind, VerdictKind::regressed);
  EXPECT_FALSE(gone.advisory);
}

TEST(Gaps, AFamilyThatCouldNotBeginInMostOfItsProcessesIsMissing) {
  result::Run run = make_run(900);
  for (std::size_t i = 1; i < run.processes.size(); ++i) {
    run.processes[i].samples.reset();
    run.processes[i].status = result::Status::unavailable;
    run.processes[i].reason = "libcublas.so.13 is not there";
  }
  const Verdict verdict = of(judge_baseline({run}, make_baseline(10)), triad);
  EXPECT_EQ(verdict.kind, VerdictKind::missing);
  EXPECT_THAT(verdict.reason, HasSubstr("in 4 of 5 processes"));
  EXPECT_THAT(verdict.reason, HasSubstr("libcublas.so.13"));
}

std::vector<result::Run> side(std::uint64_t seed, const std::function<result::Run(result::Run, int)>& apply) {
  std::vector<result::Run> out;
  out.reserve(3);
  for (int i = 0; i < 3; ++i) out.push_back(apply(make_run(seed + static_cast<std::uint64_t>(i)), i));
  return out;
}

TEST(Gaps, WhatMostRunsAfterAChangeLackIsMissing) {
  const auto as_is = [](result::Run run, int) { return run; };
  const auto gone = [](int from) {
    return [from](result::Run run, int i) {
      if (i >= from) drop_benchmark(run, "host/wake");
      return run;
    };
  };
  const Verdict most = of(judge_before_after(side(1, as_is), side(50, gone(1))), wake);
  EXPECT_EQ(most.kind, VerdictKind::missing) << most.reason;
  EXPECT_THAT(most.reason, HasSubstr("in 2 of 3 runs after"));
  const Verdict one = of(judge_before_after(side(1, as_is), side(50, gone(2))), wake);
  EXPECT_EQ(one.kind, VerdictKind::inconclusive) << one.reason;
  EXPECT_FALSE(one.advisory);
  // The old side had runs without it, too: nothing vanished.
  EXPECT_EQ(of(judge_before_after(side(1, gone(1)), side(50, gone(1))), wake).kind, VerdictKind::ok);
}

TEST(Gaps, AfterAChangeProcessesThatLackAMetricCountAsWell) {
  const auto as_is = [](result::Run run, int) { return run; };
  const auto tail = [](double worse) {
    return [worse](result::Run run, int) { return recorded_only(std::move(run), 4, worse); };
  };
  const Verdict slow = of(judge_before_after(side(1, as_is), side(50, tail(20))), wake);
  EXPECT_EQ(slow.kind, VerdictKind::regressed) << slow.reason;
  const Verdict same = of(judge_before_after(side(1, as_is), side(50, tail(1))), wake);
  EXPECT_EQ(same.kind, VerdictKind::inconclusive) << same.reason;
  EXPECT_THAT(same.reason, HasSubstr("91 batches"));
  const auto skipped = [](result::Run run, int) { return skipping(std::move(run), 4); };
  EXPECT_EQ(of(judge_before_after(side(1, as_is), side(50, skipped)), wake).kind, VerdictKind::missing);
}

TEST(Gaps, OneRunOfSeveralAfterAChangeIsInconclusiveHoweverMuchItLacks) {
  const auto as_is = [](result::Run run, int) { return run; };
  for (const int processes : {3, 5}) {
    const auto once = [&](result::Run run, int i) {
      return i == 0 ? skipping(std::move(run), processes) : run;
    };
    const Verdict verdict = of(judge_before_after(side(1, as_is), side(50, once)), wake);
    EXPECT_EQ(verdict.kind, VerdictKind::inconclusive) << verdict.reason;
    EXPECT_FALSE(verdict.advisory);
    EXPECT_THAT(verdict.reason, HasSubstr("in 1 of 3 runs after"));
  }
  // Some of a run and all of another are two runs.
  const auto twice = [](result::Run run, int i) {
    return skipping(std::move(run), i == 0 ? 3 : i == 1 ? 5 : 0);
  };
  EXPECT_EQ(of(judge_before_after(side(1, as_is), side(50, twice)), wake).kind, VerdictKind::missing);
}

}  // namespace
}  // namespace gpugauge::judge
