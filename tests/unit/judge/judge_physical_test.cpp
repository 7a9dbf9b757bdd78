#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using result::Direction;
using result::Status;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Verdict* find(const std::vector<Verdict>& verdicts, const std::string& metric) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(),
                                  [&](const Verdict& verdict) { return verdict.metric == metric; });
  return found == verdicts.end() ? nullptr : &*found;
}

/// A run whose triad has a limit.
result::Run limited(double limit, bool saturating, std::optional<double> floor = std::nullopt) {
  result::Run run = make_run(1);
  change(run, "host/triad", [&](result::BenchmarkResult& found) {
    found.metrics[0].limit = result::Limit{limit, "data sheet", saturating, floor};
  });
  return run;
}

Verdict triad_of(const result::Run& run) {
  const auto verdicts = judge_physical(run);
  const Verdict* found = find(verdicts, triad);
  if (found == nullptr) throw std::runtime_error("no verdict on the triad");
  return *found;
}

TEST(JudgePhysical, HasNothingToSayOfASoundRunWithoutLimits) {
  EXPECT_THAT(judge_physical(make_run(1)), IsEmpty());
}

TEST(JudgePhysical, AProcessThatDiedFailsItsFamilyByName) {
  result::Run run = make_run(1);
  run.processes[2].status = Status::failed;
  run.processes[2].reason = "ended by SIGKILL";
  run.processes[2].samples.reset();
  const auto verdicts = judge_physical(run);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].kind, VerdictKind::failed);
  EXPECT_EQ(verdicts[0].metric, "host");
  EXPECT_THAT(verdicts[0].reason, HasSubstr("1 of 5 processes of the family failed: ended by SIGKILL"));
}

TEST(JudgePhysical, AWrongResultInARepeatedRoundFails) {
  std::vector<result::Run> rounds{make_run(1), make_run(2)};
  rounds[1].processes.resize(1);
  change(rounds[1], "host/triad", [](result::BenchmarkResult& found) {
    found.verifications = {{"checksum", false, 3.0, .5}};
  });
  const auto verdicts = judge_physical(rounds);
  const Verdict* found = find(verdicts, "host/triad");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->kind, VerdictKind::failed);
  EXPECT_THAT(found->reason, HasSubstr("sound in 5 of 6 processes"));
  EXPECT_EQ(found->rounds, 2);
}

TEST(JudgePhysical, AProcessThatDiesInARepeatedRoundFailsItsFamily) {
  std::vector<result::Run> rounds{make_run(1), make_run(2), make_run(3)};
  rounds[2].processes[0].status = Status::failed;
  rounds[2].processes[0].reason = "ended by SIGSEGV";
  rounds[2].processes[0].samples.reset();
  const auto verdicts = judge_physical(rounds);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].metric, "host");
  EXPECT_THAT(verdicts[0].reason, HasSubstr("1 of 15 processes of the family failed: ended by SIGSEGV"));
}

TEST(JudgePhysical, ALimitIsHeldAgainstTheProcessesOfAllRounds) {
  // Round 1 alone is below the floor; with two healthy rounds the median is not.
  std::vector<result::Run> rounds{make_run(1, {3, 1, 1}), make_run(2), make_run(3)};
  for (result::Run& round : rounds)
    change(round, "host/triad", [](result::BenchmarkResult& found) {
      found.metrics[0].limit = result::Limit{2.5e10, "data sheet", true, .6};
    });
  EXPECT_EQ(find(judge_physical(rounds[0]), triad)->kind, VerdictKind::failed);
  const auto verdicts = judge_physical(rounds);
  EXPECT_EQ(find(verdicts, triad)->kind, VerdictKind::ok);
  EXPECT_THAT(judge_physical(std::vector<result::Run>{}), IsEmpty());
}

TEST(JudgePhysical, AFamilyWithoutItsLibraryIsInconclusiveAndAnInterruptionIsNoFault) {
  result::Run run = make_run(1);
  for (result::Process& process : run.processes) {
    process.samples->status = Status::unavailable;
    process.samples->reason = "libcudnn.so.9 is missing";
    process.samples->benchmarks.clear();
  }
  const auto verdicts = judge_physical(run);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].kind, VerdictKind::inconclusive);
  EXPECT_THAT(verdicts[0].reason, HasSubstr("libcudnn"));
  run.processes.resize(1);
  run.processes[0].status = Status::interrupted;
  run.processes[0].samples.reset();
  EXPECT_THAT(judge_physical(run), IsEmpty());
}

TEST(JudgePhysical, AFamilyThatMeasuredAndCannotBeginAgainFailed) {
  const auto lose = [](result::Process& process) {
    process.samples->status = Status::unavailable;
    process.samples->reason = "counting the GPUs failed: cudaErrorNoDevice (100)";
    process.samples->benchmarks.clear();
  };
  const auto expect_failed = [](const std::vector<result::Run>& rounds, const char* counts) {
    const auto verdicts = judge_physical(rounds);
    const Verdict* const found = find(verdicts, "host");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->kind, VerdictKind::failed);
    EXPECT_THAT(found->reason, HasSubstr(counts));
    EXPECT_THAT(found->reason, HasSubstr("cudaErrorNoDevice"));
  };
  std::vector<result::Run> within{make_run(1)};
  lose(within[0].processes.back());
  expect_failed(within, "4 of 5 processes of the family measured, and 1 could not even begin");
  std::vector<result::Run> later{make_run(1), make_run(2)};
  later[1].round = 2;
  for (result::Process& process : later[1].processes) lose(process);
  expect_failed(later, "5 of 10 processes of the family measured, and 5 could not even begin");
  // Of two days, one may be without its library: that was not measured, and nothing has gone.
  later[1].round = 1;
  const auto found = judge_physical(later);
  EXPECT_EQ(find(found, "host")->kind, VerdictKind::inconclusive);
  EXPECT_THAT(find(found, "host")->reason, HasSubstr("could not be measured in 5 of 10 processes"));
}

TEST(JudgePhysical, AChecksRoundsAreToldByTimeAndNotByTheOrderOfTheFiles) {
  const auto lost = [](result::Run run) {
    for (result::Process& process : run.processes) {
      process.samples->status = Status::unavailable;
      process.samples->reason = "counting the GPUs failed: cudaErrorNoDevice (100)";
      process.samples->benchmarks.clear();
    }
    return run;
  };
  const auto round = [](std::uint64_t seed, int number) {
    result::Run run = make_run(seed);
    run.round = number;
    return run;
  };
  const result::Run a1 = round(1, 1), a2 = lost(round(2, 2)), b1 = lost(round(5, 1)), b2 = lost(round(6, 2));
  for (const std::vector<result::Run>& rounds :
       {std::vector{a1, a2}, {a2, a1}, {a1, b1, a2, b2}, {b2, b1, a2, a1}}) {
    const auto found = judge_physical(rounds);
    ASSERT_NE(find(found, "host"), nullptr);
    EXPECT_EQ(find(found, "host")->kind, VerdictKind::failed);
    EXPECT_THAT(find(found, "host")->reason, HasSubstr("5 of 10 processes of the family measured"));
  }
  // The first round of the second check was not given.
  EXPECT_EQ(find(judge_physical({a1, round(2, 2), b2}), "host")->kind, VerdictKind::inconclusive);
}

TEST(JudgePhysical, AGpuThatSomebodyElseHoldsForAMomentHasNotGone) {
  for (const char* const code : {"cudaErrorMemoryAllocation (2)", "cudaErrorDevicesUnavailable (46)"}) {
    std::vector<result::Run> rounds{make_run(1)};
    result::Process& last = rounds[0].processes.back();
    last.samples->status = Status::unavailable;
    last.samples->reason = std::string("Making a context failed: ") + code;
    last.samples->benchmarks.clear();
    const auto verdicts = judge_physical(rounds);
    ASSERT_NE(find(verdicts, "host"), nullptr) << code;
    EXPECT_EQ(find(verdicts, "host")->kind, VerdictKind::inconclusive) << code;
  }
}

TEST(JudgePhysical, EveryKindOfWrongResultFails) {
  const std::vector<std::pair<result::Verification, const char*>> wrong{
      {{"sampled rows", false, .5, .1}, "error of 0.5 where 0.1 is allowed"},
      {{"sampled rows", true, .5, .1}, "error of 0.5"},
      {{"checksums", false, std::nullopt, std::nullopt}, "checksums did not pass"},
      {{"sampled rows", true, std::nan(""), .1}, "did not pass"}};
  for (const auto& [check, sentence] : wrong) {
    result::Run run = make_run(1);
    run.processes[1].samples->benchmarks[1].verifications = {check};
    const auto verdicts = judge_physical(run);
    const Verdict* found = find(verdicts, "host/triad");
    ASSERT_NE(found, nullptr) << sentence;
    EXPECT_EQ(found->kind, VerdictKind::failed);
    EXPECT_THAT(found->reason, HasSubstr(sentence));
    EXPECT_THAT(found->reason, HasSubstr("sound in 4 of 5 processes"));
  }
}

TEST(JudgePhysical, AResultThatNobodyVerifiedFailsUnlessItIsAnotherPrograms) {
  result::Run run = make_run(1);
  change(run, "host/triad", [](result::BenchmarkResult& found) { found.verifications.clear(); });
  change(run, "host/wake", [](result::BenchmarkResult& found) {
    found.verifications.clear();
    found.notes[std::string(result::not_verified_note)] = "another program's figures";
  });
  const auto verdicts = judge_physical(run);
  ASSERT_NE(find(verdicts, "host/triad"), nullptr);
  EXPECT_EQ(find(verdicts, "host/triad")->kind, VerdictKind::failed);
  EXPECT_THAT(find(verdicts, "host/triad")->reason, HasSubstr("its result was not verified"));
  EXPECT_EQ(find(verdicts, "host/wake"), nullptr);
}

TEST(JudgePhysical, AFailedBenchmarkAndAnImpossibleValueFail) {
  result::Run run = make_run(1);
  change(run, "host/wake", [](result::BenchmarkResult& found) {
    found.status = Status::failed;
    found.reason = "cudaErrorIllegalAddress";
  });
  change(run, "host/triad", [](result::BenchmarkResult& found) { found.metrics[0].value = 0; });
  change(run, "host/latency", [](result::BenchmarkResult& found) { found.metrics[0].value = std::nan(""); });
  const auto verdicts = judge_physical(run);
  ASSERT_EQ(verdicts.size(), 3U);
  for (const Verdict& verdict : verdicts) EXPECT_EQ(verdict.kind, VerdictKind::failed) << verdict.metric;
  EXPECT_THAT(find(verdicts, "host/wake")->reason, HasSubstr("cudaErrorIllegalAddress"));
}

TEST(JudgePhysical, ASkippedBenchmarkIsNoFault) {
  result::Run run = make_run(1);
  change(run, "host/wake", [](result::BenchmarkResult& found) { found.status = Status::skipped; });
  EXPECT_THAT(judge_physical(run), IsEmpty());
}

TEST(JudgePhysical, ASaturatingLimitHasABandOfFortyToHundredAndFivePercent) {
  // The triad measures 20 GB/s within half a percent.
  EXPECT_EQ(triad_of(limited(2e10 / .38, true)).kind, VerdictKind::failed);
  EXPECT_EQ(triad_of(limited(2e10 / .42, true)).kind, VerdictKind::ok);
  EXPECT_EQ(triad_of(limited(2e10 / 1.03, true)).kind, VerdictKind::ok);
  EXPECT_EQ(triad_of(limited(2e10 / 1.07, true)).kind, VerdictKind::failed);
  EXPECT_NEAR(triad_of(limited(4e10, true)).share.value(), .5, .01);
  EXPECT_THAT(triad_of(limited(4e10, true)).reason, HasSubstr("50% of the limit (data sheet)"));
}

TEST(JudgePhysical, ALimitOfItsOwnFloorIsHeldToThat) {
  EXPECT_EQ(triad_of(limited(2e10 / .75, true, .8)).kind, VerdictKind::failed);
  EXPECT_EQ(triad_of(limited(2e10 / .85, true, .8)).kind, VerdictKind::ok);
  EXPECT_EQ(triad_of(limited(2e10 / .25, true, .2)).kind, VerdictKind::ok);
}

TEST(JudgePhysical, ALimitThatOnlyBoundsSaysNothingFromBelow) {
  EXPECT_EQ(triad_of(limited(2e12, false)).kind, VerdictKind::ok);
  EXPECT_EQ(triad_of(limited(1e10, false)).kind, VerdictKind::failed);
}

TEST(JudgePhysical, ALatencyBelowItsLimitIsImpossible) {
  result::Run run = make_run(1);
  const auto limit = [&](double value) {
    change(run, "host/latency", [&](result::BenchmarkResult& found) {
      found.metrics[0].limit = result::Limit{value, "one clock", false, std::nullopt};
    });
    return find(judge_physical(run), latency)->kind;
  };
  EXPECT_EQ(limit(1e-7), VerdictKind::failed);
  EXPECT_EQ(limit(4e-8), VerdictKind::ok);
}

/// Copy bandwidth of one core and all cores.
result::Run cores(double one, double all) {
  result::Run run = make_run(1);
  for (result::Process& process : run.processes) {
    process.samples->benchmarks = {
        benchmark("host/copy/all_cores",
                  metric("bandwidth", "byte/second", Direction::higher, "host_memory", all)),
        benchmark("host/copy/one_core",
                  metric("bandwidth", "byte/second", Direction::higher, "host_memory", one))};
  }
  return run;
}

TEST(JudgePhysical, AnInvariantHoldsWhereBothMetricsWereMeasured) {
  const auto kept = judge_physical(cores(1e10, 3e10));
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].kind, VerdictKind::ok);
  EXPECT_EQ(kept[0].metric, "host/copy/all_cores:bandwidth");
  const auto broken = judge_physical(cores(1e10, 7e9));
  EXPECT_EQ(broken.at(0).kind, VerdictKind::failed);
  EXPECT_THAT(broken.at(0).reason, HasSubstr("0.70 times host/copy/one_core:bandwidth"));
  result::Run half = cores(1e10, 7e9);
  for (result::Process& process : half.processes) process.samples->benchmarks.pop_back();
  EXPECT_THAT(judge_physical(half), IsEmpty());
}

}  // namespace
}  // namespace gpugauge::judge
