// A GPU, or its memory, that somebody else holds for a while: no judge calls missing what could not be
// measured.
#include "result/occupied.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_rounds.hpp"
#include "judge/before_after.hpp"
#include "judge/judge.hpp"
#include "peer_fleet.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;

constexpr const char* busy = "Making a context failed: cudaErrorDevicesUnavailable (46): busy.";
constexpr const char* gone = "counting the GPUs failed: cudaErrorNoDevice (100)";

/// Processes `first` to `last` - 1 could not begin.
result::Run without(result::Run run, std::size_t first, std::size_t last, const std::string& why = busy) {
  for (std::size_t i = first; i < last; ++i) {
    run.processes[i].status = run.processes[i].samples->status = result::Status::unavailable;
    run.processes[i].reason = run.processes[i].samples->reason = why;
    run.processes[i].samples->benchmarks.clear();
  }
  return run;
}

/// One benchmark finds no room in any process.
result::Run without_room(result::Run run) {
  change(run, "host/wake", [](result::BenchmarkResult& found) {
    found.status = result::Status::unavailable;
    found.reason =
        "needs 20 GiB beside a reserve of 8 GiB, 10 GiB are free: something else holds the rest; x";
    found.metrics.clear();
  });
  return run;
}

/// The same two as the families write them now: the fact is a note, and the words say nothing.
result::Run without_as_noted(result::Run run, std::size_t first, std::size_t last) {
  run = without(std::move(run), first, last, "the context was refused");
  for (std::size_t i = first; i < last; ++i)
    run.processes[i].samples->context[result::occupied_note] = "true";
  return run;
}

result::Run without_room_as_noted(result::Run run) {
  run = without_room(std::move(run));
  change(run, "host/wake", [](result::BenchmarkResult& found) {
    found.reason = "10 GiB are free";
    found.notes[result::occupied_note] = "true";
  });
  return run;
}

result::Run narrowed(result::Run run) {
  run.only = {"host/wake"};
  drop_benchmark(run, "host/latency");
  drop_benchmark(run, "host/triad");
  return run;
}

TEST(Occupied, IsInconclusiveAndCountedAgainstABaseline) {
  for (const result::Run& run :
       {without(make_run(900), 0, 3), without(make_run(900), 0, 5), without_room(make_run(900)),
        without_as_noted(make_run(900), 0, 5), without_room_as_noted(make_run(900))}) {
    const Verdict verdict = of(judge_baseline({run}, make_baseline(10)), wake);
    EXPECT_EQ(verdict.kind, VerdictKind::inconclusive) << verdict.reason;
    EXPECT_FALSE(verdict.advisory);
    EXPECT_THAT(verdict.reason, HasSubstr("could not be measured"));
  }
}

TEST(Occupied, ALaterWholeRoundMakesItGood) {
  const auto judged = [](const std::vector<result::Run>& rounds) {
    return of(judge_baseline(rounds, make_baseline(10)), wake);
  };
  const result::Run first = make_run(900);
  const result::Run taken = without(narrowed(make_run(901)), 0, 5);
  const result::Run whole = narrowed(make_run(902));
  EXPECT_EQ(judged({first, taken, whole}).kind, VerdictKind::ok);
  EXPECT_EQ(judged({first, taken}).kind, VerdictKind::inconclusive);
  EXPECT_EQ(judged({without(make_run(900), 0, 3), whole}).kind, VerdictKind::ok);
  EXPECT_EQ(judged({without(make_run(900), 0, 5), whole}).kind, VerdictKind::ok);
  const result::Run again = without(narrowed(make_run(903)), 0, 5);
  EXPECT_EQ(judged({first, whole, again}).kind, VerdictKind::inconclusive) << "nobody knows since";
  EXPECT_EQ(judged({first, whole, taken}).kind, VerdictKind::ok)
      << "times tell, and not the order of the files";
  // What has gone is made good by no round.
  EXPECT_EQ(judged({first, without(narrowed(make_run(901)), 0, 5, gone), whole}).kind, VerdictKind::missing);
}

TEST(Occupied, TheNoteCountsAndNotTheWordsOfTheSentence) {
  const auto kind = [](const result::Run& run) {
    return of(judge_baseline({run}, make_baseline(10)), wake).kind;
  };
  result::Run bare = without_room_as_noted(make_run(900));
  change(bare, "host/wake", [](result::BenchmarkResult& found) { found.notes.clear(); });
  EXPECT_EQ(kind(bare), VerdictKind::missing);
  EXPECT_EQ(kind(without(make_run(900), 0, 5, "the context was refused")), VerdictKind::missing);
}

TEST(Occupied, WhatHasGoneIsNotExcusedByWhatIsHeldBesideIt) {
  const auto judged = [](const result::Run& run) {
    return of(judge_baseline({run}, make_baseline(10)), wake);
  };
  const Verdict most = judged(without(without(make_run(900), 0, 1), 1, 4, gone));
  EXPECT_EQ(most.kind, VerdictKind::missing) << most.reason;
  EXPECT_THAT(most.reason, HasSubstr("cudaErrorNoDevice"));
  const Verdict few = judged(without(without(make_run(900), 0, 2), 2, 3, gone));
  EXPECT_EQ(few.kind, VerdictKind::inconclusive) << few.reason;
  EXPECT_THAT(few.reason, HasSubstr("cudaErrorNoDevice"));
}

TEST(Occupied, SaysNothingAgainstANewSide) {
  const auto judged = [](const std::vector<result::Run>& after) {
    const std::vector<result::Run> before{make_run(1), make_run(2), make_run(3)};
    const BeforeAfter made = judge_before_after(before, after);
    return *std::find_if(made.verdicts.begin(), made.verdicts.end(),
                         [](const Verdict& verdict) { return verdict.metric == wake; });
  };
  for (const auto& taken :
       {without(make_run(10), 0, 5), without(make_run(10), 0, 3), without_room(make_run(10))}) {
    EXPECT_EQ(judged({taken}).kind, VerdictKind::inconclusive);
    EXPECT_EQ(judged({taken, make_run(11)}).kind, VerdictKind::ok) << judged({taken, make_run(11)}).reason;
  }
}

TEST(Occupied, PutsANodeInDoubtUntilARunHasIt) {
  Fleet fleet;
  fleet.add_healthy(0, 9);
  fleet.add(9, {}, 0, [](result::Run& run) { run = without_room(std::move(run)); });
  const PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged_of(judged, "n09").state, NodeState::suspect);
  ASSERT_FALSE(judged_of(judged, "n09").verdicts.empty());
  EXPECT_EQ(judged_of(judged, "n09").verdicts[0].kind, VerdictKind::inconclusive);
  EXPECT_THAT(judged_of(judged, "n09").verdicts[0].reason, HasSubstr("something else holds the rest"));
  EXPECT_NE(judged.outcome.code, ExitCode::regressed);
  fleet.add(9, {}, 1);
  EXPECT_EQ(judged_of(fleet.judge(), "n09").state, NodeState::healthy);
}

TEST(Occupied, OfANodeIsReadFromTheNote) {
  Fleet fleet;
  fleet.add_healthy(0, 9);
  fleet.add(9, {}, 0, [](result::Run& run) { run = without_room_as_noted(std::move(run)); });
  EXPECT_EQ(judged_of(fleet.judge(), "n09").verdicts.at(0).kind, VerdictKind::inconclusive);
}

}  // namespace
}  // namespace gpugauge::judge
