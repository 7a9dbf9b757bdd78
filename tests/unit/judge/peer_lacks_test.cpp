// What a node lacks that most of its kind have, in each of its runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate.hpp"
#include "peer_fleet.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Apply no_triad = [](result::Run& run) { drop_benchmark(run, "host/triad"); };

Apply chosen(const std::string& benchmark) {
  return [=](result::Run& run) {
    for (const char* other : {"host/latency", "host/triad", "host/wake"})
      if (other != benchmark) drop_benchmark(run, other);
    run.only = {benchmark};
  };
}

/// Its run is one of the family cublas alone, and says nothing of others.
void other_family(result::Run& run) {
  for (result::Process& process : run.processes) {
    process.family = process.samples->family = "cublas";
    process.samples->benchmarks = {
        benchmark("cublas/a", metric("rate", "flop/second", result::Direction::higher, "gemm16", 1e12))};
  }
  run.fingerprint.suite.erase("suite.source_hash.host");
}

TEST(PeerLacks, OneOfEightIsMissingWhatTheOthersHaveAndTheyAreCompared) {
  Fleet fleet;
  fleet.add_healthy(0, 6);
  fleet.add(6, {.triad = 10});
  fleet.add(7, {}, 0, no_triad);
  const PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  EXPECT_THAT(judged.metrics_not_judged, IsEmpty());
  EXPECT_EQ(judged_of(judged, "n07").state, NodeState::found);
  EXPECT_THAT(judged_of(judged, "n07").verdicts.at(0).reason, HasSubstr("7 of 8 nodes measure it"));
  EXPECT_EQ(judged_of(judged, "n06").state, NodeState::suspect);
  fleet.add(6, {.triad = 10}, 1);
  EXPECT_EQ(judged_of(fleet.judge(), "n06").state, NodeState::found);
}

TEST(PeerLacks, WhatTooFewOfEightHaveIsMissingWhereMostHaveIt) {
  Fleet fleet;
  for (int node = 0; node < 8; ++node)
    fleet.add(node, {}, 0, [&](result::Run& run) {
      if (node > 4) no_triad(run);
    });
  const PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  EXPECT_EQ(judged_of(judged, "n05").verdicts.at(0).kind, VerdictKind::missing);
  EXPECT_EQ(judged_of(judged, "n00").state, NodeState::healthy);
  EXPECT_THAT(judged.metrics_not_judged, ElementsAre(HasSubstr("5 of 8 nodes measure it")));
}

TEST(PeerLacks, AMetricThatHalfOfThemLackIsNoPass) {
  Fleet fleet;
  for (int node = 0; node < 14; ++node)
    fleet.add(node, {}, 0, [&](result::Run& run) {
      if (node < 7) no_triad(run);
    });
  const PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(
      judged.outcome.sentence,
      "cannot judge all metrics: 14 of 14 nodes are like their peers; 1 metric that half of them or more "
      "measure could not be compared");
}

TEST(PeerLacks, WhatALaterWholeRunLostIsInDoubtUntilAnotherHasIt) {
  Fleet fleet;
  fleet.add_healthy(0, 12);
  fleet.add(3, {}, 1, no_triad);
  const PeersJudgement judged = fleet.judge(true);
  EXPECT_EQ(judged.outcome.code, ExitCode::inconclusive);
  ASSERT_EQ(judged_of(judged, "n03").verdicts.size(), 1U);
  EXPECT_EQ(judged_of(judged, "n03").verdicts[0].metric, triad);
  EXPECT_THAT(judged_of(judged, "n03").verdicts[0].reason, HasSubstr("run 2 of 2 of this node lost it"));
  EXPECT_TRUE(judged_of(judged, "n03").measure_again);
  fleet.add(3, {}, 2);
  EXPECT_EQ(fleet.judge(true).outcome.code, ExitCode::pass);
  for (const std::uint64_t round : {3, 4}) fleet.add(3, {}, round, no_triad);
  EXPECT_EQ(fleet.judge().outcome.code, ExitCode::regressed);
  EXPECT_EQ(judged_of(fleet.judge(), "n03").verdicts.at(0).kind, VerdictKind::missing);
  EXPECT_THAT(judged_of(fleet.judge(), "n03").verdicts.at(0).reason,
              HasSubstr("11 of 12 nodes measure it; 2 runs of this node lost it"));
}

TEST(PeerLacks, WhatARunLostThatChoseItByNameIsInDoubt) {
  const Apply by_name = [](result::Run& run) { run.only = {"host/latency", "host/triad", "host/wake"}; };
  Fleet fleet;
  for (int node = 0; node < 12; ++node) fleet.add(node, {}, 0, by_name);
  for (const std::uint64_t round : {1, 2})
    fleet.add(3, {}, round, [&](result::Run& run) {
      by_name(run);
      no_triad(run);
    });
  EXPECT_EQ(fleet.judge().outcome.code, ExitCode::regressed);
  EXPECT_EQ(judged_of(fleet.judge(), "n03").verdicts.at(0).kind, VerdictKind::missing);
}

TEST(PeerLacks, ALaterRunThatWasAskedForLessLostNothing) {
  for (const Apply& asked : {chosen("host/wake"), Apply(other_family)}) {
    Fleet fleet;
    fleet.add_healthy(0, 12);
    fleet.add(3, {}, 1, asked);
    const PeersJudgement judged = fleet.judge(true);
    EXPECT_EQ(judged_of(judged, "n03").state, NodeState::healthy);
  }
}

TEST(PeerLacks, AFirstRunOfSomeBenchmarksIsMadeGoodByTheWholeRunAfterIt) {
  for (const Apply& asked : {chosen("host/wake"), no_triad}) {
    Fleet fleet;
    fleet.add_healthy(0, 11);
    fleet.add(11, {}, 0, asked);
    EXPECT_EQ(judged_of(fleet.judge(), "n11").verdicts.at(0).kind, VerdictKind::missing);
    fleet.add(11, {}, 1);
    EXPECT_EQ(fleet.judge(true).outcome.code, ExitCode::pass) << fleet.judge(true).outcome.sentence;
  }
}

TEST(PeerLacks, TheNodesThatHaveAMetricAreTheOthers) {
  Fleet fleet;
  fleet.add_healthy(0, 12);
  fleet.add(3, {}, 1, [](result::Run& run) {
    change(run, "host/triad", [](result::BenchmarkResult& one) {
      one.status = result::Status::unavailable;
      one.reason = "no memory is left";
      one.metrics.clear();
    });
  });
  EXPECT_THAT(judged_of(fleet.judge(), "n03").verdicts.at(0).reason,
              HasSubstr("11 of 12 nodes measure it; here host/triad is unavailable: no memory is left"));
}

TEST(PeerLacks, ALibraryThatWasInstalledMeanwhileIsMadeGoodAndAFailureIsNot) {
  for (const result::Status status : {result::Status::unavailable, result::Status::failed}) {
    Fleet fleet;
    fleet.add_healthy(0, 11);
    fleet.add(11, {}, 0, [&](result::Run& run) {
      change(run, "host/triad", [&](result::BenchmarkResult& one) {
        one.status = status;
        one.reason = "no library";
        one.metrics.clear();
      });
    });
    EXPECT_EQ(judged_of(fleet.judge(), "n11").state, NodeState::found);
    fleet.add(11, {}, 1);
    EXPECT_EQ(judged_of(fleet.judge(), "n11").state,
              status == result::Status::failed ? NodeState::found : NodeState::healthy);
  }
}

/// As a tail quantile of too few batches; `value` in byte/second, 0 to leave what was measured.
Apply recorded_only(double value = 0) {
  return [=](result::Run& run) {
    change(run, "host/triad", [&](result::BenchmarkResult& one) {
      one.metrics.at(0).judged = false;
      one.metrics.at(0).note = "99 batches are too few";
      if (value != 0) one.metrics.at(0).value = value;
    });
  };
}

TEST(PeerLacks, AValueThatIsOnlyRecordedIsComparedWithTheOthers) {
  for (const int recorded : {3, 8, 11}) {
    Fleet fleet;
    for (int node = 0; node < 12; ++node) fleet.add(node, {}, 0, node < recorded ? recorded_only() : Apply());
    for (const std::uint64_t round : {1, 2}) fleet.add(11, {}, round, recorded_only());
    const PeersJudgement judged = fleet.judge(true);
    EXPECT_EQ(judged.outcome.code, ExitCode::pass) << judged.outcome.sentence;
    EXPECT_EQ(judged.groups.at(0).metrics, 3U);
    EXPECT_THAT(judged.metrics_not_judged, IsEmpty());
    for (const Apply& newcomer : {Apply(), recorded_only()}) {
      Gate gate;
      gate.add_fleet(recorded, recorded_only());
      gate.add_fleet(12 - recorded);
      gate.add_newcomer({}, 0, newcomer);
      EXPECT_EQ(gate.only().state, AdmissionState::admitted) << gate.only().reason;
      EXPECT_EQ(gate.only().metrics, 3U);
    }
  }
}

TEST(PeerLacks, ARecordedValueThatIsWorseIsASuspectAndConfirmed) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, recorded_only(5e9));
  const PeersJudgement judged = fleet.judge(true);
  EXPECT_EQ(judged.outcome.code, ExitCode::inconclusive);
  ASSERT_EQ(judged_of(judged, "n11").verdicts.size(), 1U);
  EXPECT_THAT(judged_of(judged, "n11").verdicts[0].reason,
              HasSubstr("a further run must confirm it (only recorded there: 99 batches are too few)"));
  fleet.add(11, {}, 1, recorded_only(5e9));
  EXPECT_EQ(fleet.judge().outcome.code, ExitCode::regressed);
  EXPECT_EQ(judged_of(fleet.judge(), "n11").verdicts.at(0).kind, VerdictKind::regressed);
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({}, 0, recorded_only(5e9));
  EXPECT_EQ(gate.only().state, AdmissionState::measure_again);
  gate.add_newcomer({}, 1, recorded_only(5e9));
  EXPECT_EQ(gate.only().state, AdmissionState::refused);
}

TEST(PeerLacks, AProcessThatOnlyRecordsItsValueIsOneOfTheRun) {
  const Apply most_slow = [](result::Run& run) {
    for (std::size_t index = 0; index < 3; ++index)
      for (result::BenchmarkResult& one : run.processes[index].samples->benchmarks)
        if (one.id == "host/triad") {
          one.metrics.at(0).judged = false;
          one.metrics.at(0).value = 5e9;
        }
  };
  Fleet fleet;
  fleet.add_healthy(0, 11);
  for (const std::uint64_t round : {0, 1}) fleet.add(11, {}, round, most_slow);
  EXPECT_EQ(fleet.judge().outcome.code, ExitCode::regressed);
}

TEST(PeerLacks, WhatNobodyJudgesIsComparedWithNothingAndSaidOfANewcomerOnly) {
  Fleet fleet;
  for (int node = 0; node < 12; ++node) fleet.add(node, {}, 0, recorded_only(node == 0 ? 1e9 : 0));
  const PeersJudgement judged = fleet.judge(true);
  EXPECT_EQ(judged.outcome.code, ExitCode::pass);
  EXPECT_EQ(judged.groups.at(0).metrics, 2U);
  EXPECT_THAT(judged.metrics_not_judged, IsEmpty());
  Gate gate;
  gate.add_fleet(12, recorded_only());
  gate.add_newcomer();
  EXPECT_EQ(gate.only().state, AdmissionState::admitted) << gate.only().reason;
  EXPECT_THAT(gate.only().remarks, ElementsAre(HasSubstr("no other node of its kind has a value of it")));
}

TEST(PeerLacks, WhatIsRecordedWithoutAValueIsInDoubtAndItsNoteSaid) {
  const Apply no_value = [](result::Run& run) {
    recorded_only()(run);
    change(run, "host/triad", [](result::BenchmarkResult& one) { one.metrics.at(0).value = 0; });
  };
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, no_value);
  const PeersJudgement judged = fleet.judge(true);
  EXPECT_EQ(judged.outcome.code, ExitCode::inconclusive);
  EXPECT_EQ(judged_of(judged, "n11").verdicts.at(0).kind, VerdictKind::inconclusive);
  EXPECT_EQ(judged_of(judged, "n11").verdicts.at(0).reason,
            "11 of 12 nodes measure it; recorded only here: 99 batches are too few");
}

TEST(PeerLacks, ANodeThatMeasuredNothingIsNotJudged) {
  const Apply nothing = [](result::Run& run) {
    run.processes.clear();
    run.complete = false;
    run.partial_reason = "interrupted by SIGTERM";
  };
  Fleet fleet;
  fleet.add_healthy(0, 11);
  for (const std::uint64_t round : {0, 1}) fleet.add(11, {}, round, nothing);
  const PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(judged_of(judged, "n11").state, NodeState::not_judged);
  EXPECT_THAT(judged_of(judged, "n11").reason, HasSubstr("it measured none of the 3 metrics"));
  EXPECT_TRUE(judged_of(judged, "n11").measure_again);
  EXPECT_THAT(judged.outcome.sentence, HasSubstr("11 of 12 nodes are like their peers; 1 not judged (n11)"));
}

TEST(PeerLacks, AHistoryOfAnOlderVersionDoesNotKnowWhatWasOnlyRecorded) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, no_triad);
  PeersInput night = fleet.input();
  for (PeerRound& round : night.rounds) round.choice_known = false;
  EXPECT_EQ(judged_of(judge_peers(night), "n11").verdicts.at(0).reason,
            "11 of 12 nodes measure it; this node does not report it, or recorded it only, which its history "
            "does not say");
}

/// A family that notes a checksum, or could not.
Apply integrity(bool works) {
  return [=](result::Run& run) {
    result::Process process = run.processes.front();
    process.family = process.samples->family = "integrity";
    result::BenchmarkResult one =
        benchmark("integrity/gemm", metric("repeats", "1", result::Direction::higher, "integrity", 3));
    one.metrics.front().judged = false;
    one.metrics.front().note = "recorded";
    one.notes = {{"checksum", "aa"}};
    process.samples->benchmarks = {one};
    if (!works) {
      process.samples.reset();
      process.status = result::Status::unavailable;
      process.reason = "libcublas.so.13 is not installed.";
    }
    run.processes.push_back(process);
  };
}

TEST(PeerLacks, AChecksumThatMostHaveIsMissingWhereItsFamilyDidNotRun) {
  Fleet fleet;
  for (int node = 0; node < 12; ++node) fleet.add(node, {}, 0, integrity(node != 3));
  const PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  ASSERT_EQ(judged_of(judged, "n03").verdicts.size(), 1U);
  EXPECT_EQ(judged_of(judged, "n03").verdicts[0].metric, "integrity/gemm:checksum");
  EXPECT_EQ(judged_of(judged, "n03").verdicts[0].kind, VerdictKind::missing);
  EXPECT_EQ(judged_of(judged, "n03").verdicts[0].reason,
            "11 of 12 nodes measure it; here integrity is unavailable: libcublas.so.13 is not installed.");
  EXPECT_THAT(judged.remarks, Each(Not(HasSubstr("None of"))));
  Gate gate;
  gate.add_fleet(12, integrity(true));
  gate.add_newcomer({}, 0, integrity(false));
  EXPECT_EQ(gate.only().state, AdmissionState::refused);
  Gate healthy;
  healthy.add_fleet(12, integrity(true));
  healthy.add_newcomer({}, 0, integrity(true));
  EXPECT_EQ(healthy.only().state, AdmissionState::admitted) << healthy.only().reason;
}

TEST(PeerLacks, AFamilyThatNobodyHasIsSaidWithOneFullStop) {
  Fleet fleet;
  for (int node = 0; node < 12; ++node) fleet.add(node, {}, 0, integrity(false));
  EXPECT_THAT(fleet.judge().remarks,
              Contains("None of 12 nodes measured the family integrity; integrity is unavailable: "
                       "libcublas.so.13 is not installed."));
}

TEST(PeerLacks, ANewcomerIsRefusedForWhatSevenOfEightHave) {
  for (const bool lacks : {true, false}) {
    Gate gate;
    gate.add_fleet(7);
    gate.add_fleet(1, no_triad);
    gate.add_newcomer({.triad = lacks ? 1. : 10.}, 0, lacks ? no_triad : Apply());
    EXPECT_EQ(gate.only().state, lacks ? AdmissionState::refused : AdmissionState::measure_again);
  }
}

TEST(PeerLacks, ANewcomerIsNotAdmittedByMetricsThatHalfOfTheFleetHaveAndNoMore) {
  for (const int having : {7, 6}) {
    Gate gate;
    gate.add_fleet(having);
    gate.add_fleet(14 - having, no_triad);
    gate.add_newcomer({.triad = 10});
    EXPECT_EQ(gate.only().state, having == 7 ? AdmissionState::cannot_judge : AdmissionState::admitted);
    EXPECT_THAT(gate.only().reason,
                having == 7 ? HasSubstr("1 metric that it and half of the fleet's nodes of its kind or more")
                            : HasSubstr("none of 2 metrics stands out"));
    EXPECT_THAT(gate.only().remarks, Contains(HasSubstr("1 metric was not compared")));
  }
}

TEST(PeerLacks, AnExtraBenchmarkOfOneNodeCostsTheOthersNothing) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, [](result::Run& run) {
    for (result::Process& process : run.processes)
      process.samples->benchmarks.push_back(
          benchmark("host/extra", metric("latency", "second", result::Direction::lower, "host_cpu", 1)));
  });
  const PeersJudgement judged = fleet.judge(true);
  EXPECT_EQ(judged.outcome.code, ExitCode::pass);
  EXPECT_EQ(judged.outcome.sentence, "pass: 12 of 12 nodes are like their peers");
  EXPECT_THAT(judged.metrics_not_judged, ElementsAre("host/extra:latency: 1 of 12 nodes measure it"));
}

}  // namespace
}  // namespace gpugauge::judge
