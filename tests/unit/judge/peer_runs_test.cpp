// Several runs of one node: which of them is looked at, and what the others say of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate.hpp"
#include "judge/admit.hpp"
#include "peer_fleet.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A fleet of 20 in which n19 was measured once for each of these, by how much slower it was.
Fleet with_runs(const std::vector<double>& triad) {
  Fleet fleet;
  fleet.add_healthy(0, 19);
  for (std::size_t r = 0; r < triad.size(); ++r) fleet.add(19, {.triad = triad[r]}, r);
  return fleet;
}

TEST(PeerRuns, ANodeThatBecameSlowAfterItsFirstRunIsFound) {
  const PeersJudgement judged = with_runs({1, 2, 2, 2}).judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  ASSERT_EQ(judged_of(judged, "n19").verdicts.size(), 1U);
  EXPECT_EQ(judged_of(judged, "n19").verdicts[0].kind, VerdictKind::regressed);
  EXPECT_EQ(judged_of(judged, "n19").verdicts[0].rounds, 3) << "the healthy one before them does not acquit";
  EXPECT_THAT(judged_of(judged, "n19").verdicts[0].reason,
              HasSubstr(" worse from run 2 of 4 on than the median"));
}

TEST(PeerRuns, ALastRunThatStandsOutIsMeasuredAgain) {
  for (const auto& runs : {std::vector<double>{1, 2}, {2, 1, 1, 2}, {1, 1, 1, 2}}) {
    const PeersJudgement judged = with_runs(runs).judge(true);
    EXPECT_EQ(judged.outcome.code, ExitCode::inconclusive) << runs.size();
    EXPECT_EQ(judged_of(judged, "n19").state, NodeState::suspect);
    EXPECT_TRUE(judged_of(judged, "n19").measure_again);
  }
}

TEST(PeerRuns, RunsAfterTheOneThatStandsOutAcquit) {
  for (const auto& runs : {std::vector<double>{1, 2, 1}, {2, 1, 1}, {1, 2, 1, 1}, {2, 1, 2, 1}})
    EXPECT_EQ(judged_of(with_runs(runs).judge(), "n19").state, NodeState::healthy) << runs.size();
}

TEST(PeerRuns, ADropThatLastsIsFoundWhateverTheNumberOfRuns) {
  for (const std::size_t runs : {2U, 5U, 9U})
    EXPECT_EQ(judged_of(with_runs(std::vector<double>(runs, 1.3)).judge(), "n19").state, NodeState::found)
        << runs;
}

TEST(PeerRuns, HealthyNodesWithManyRunsAreLeftAlone) {
  Fleet fleet;
  for (std::uint64_t round = 0; round < 5; ++round)
    for (int node = 0; node < 20; ++node) fleet.add(node, {}, round);
  EXPECT_EQ(fleet.judge(true).outcome.code, ExitCode::pass);
}

TEST(PeerRuns, ANewcomersLaterRunsCountAsMuchAsItsFirst) {
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer();
  gate.add_newcomer({.triad = 2}, 1);
  EXPECT_EQ(gate.only().state, AdmissionState::measure_again);
  gate.add_newcomer({.triad = 2}, 2);
  EXPECT_EQ(gate.only().state, AdmissionState::refused);
  EXPECT_EQ(gate.judge().outcome.code, ExitCode::regressed);
}

/// Two nights of 16 nodes, a day apart, the second one slower everywhere; node 5 at `fault` in both.
Fleet two_nights(double fault, double second_night) {
  Fleet fleet;
  for (std::uint64_t round = 0; round < 2; ++round)
    for (int node = 0; node < 16; ++node)
      fleet.add(
          node, {.triad = (node == 5 ? fault : 1) * (round == 1 ? second_night : 1)}, round,
          [&](result::Run& run) { run.started = fmt::format("2026-01-0{}T03:{:02}:00Z", 1 + round, node); });
  return fleet;
}

TEST(PeerRuns, WhatMovedTheWholeFleetBetweenTwoNightsBlamesNobodyAndClearsNobody) {
  EXPECT_EQ(two_nights(1, 1.2).judge(true).outcome.code, ExitCode::pass);
  EXPECT_EQ(two_nights(1, .8).judge(true).outcome.code, ExitCode::pass);
  for (const double night : {.7, 1.2}) {
    const PeersJudgement judged = two_nights(1.3, night).judge();
    EXPECT_THAT(judged.outcome.sentence, HasSubstr("1 of 16 nodes has a finding (n05)")) << night;
  }
}

TEST(PeerRuns, ARetestWithinTheNightIsHeldAgainstThatNight) {
  // n05 was slow once, and measured again an hour later; a day later all are slower by a tenth.
  for (const double again : {1.0, 1.3}) {
    Fleet fleet;
    const auto at = [](int day, int hour) {
      return [=](result::Run& run) { run.started = fmt::format("2026-01-0{}T{:02}:00:00Z", day, hour); };
    };
    for (int node = 0; node < 16; ++node) fleet.add(node, {.triad = node == 5 ? 1.3 : 1}, 0, at(1, 3));
    fleet.add(5, {.triad = again}, 1, at(1, 4));
    for (int node = 0; node < 16; ++node)
      fleet.add(node, {.triad = 1.1 * (node == 5 ? again : 1)}, 2, at(2, 3));
    EXPECT_EQ(judged_of(fleet.judge(), "n05").state, again > 1 ? NodeState::found : NodeState::healthy);
    EXPECT_EQ(fleet.judge(true).outcome.code, again > 1 ? ExitCode::regressed : ExitCode::pass);
  }
}

const auto cut_short = [](result::Run& run) {
  drop_benchmark(run, "host/wake");
  run.complete = false;
  run.partial_reason = "interrupted by SIGINT";
};

TEST(PeerRuns, AWholeRunMakesGoodOneThatWasCutShort) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, cut_short);
  EXPECT_EQ(judged_of(fleet.judge(), "n11").state, NodeState::suspect);
  fleet.add(11, {}, 1);
  EXPECT_EQ(judged_of(fleet.judge(), "n11").state, NodeState::healthy);
  EXPECT_EQ(fleet.judge(true).outcome.code, ExitCode::pass);

  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({}, 0, cut_short);
  EXPECT_EQ(gate.only().state, AdmissionState::measure_again);
  gate.add_newcomer({}, 1);
  EXPECT_EQ(gate.only().state, AdmissionState::admitted) << gate.only().reason;
}

TEST(PeerRuns, WhatAWholeRunLacksAfterOneThatWasCutShortIsCompared) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, cut_short);
  for (const std::uint64_t round : {1, 2}) fleet.add(11, {.wake = 2}, round);
  EXPECT_EQ(judged_of(fleet.judge(), "n11").state, NodeState::found);
  Fleet lacking;
  lacking.add_healthy(0, 11);
  lacking.add(11, {}, 0, cut_short);
  lacking.add(11, {}, 1, [](result::Run& run) { drop_benchmark(run, "host/wake"); });
  EXPECT_EQ(judged_of(lacking.judge(), "n11").verdicts.at(0).kind, VerdictKind::missing);
}

TEST(PeerRuns, AMetricThatALaterRunCouldNotMeasureIsMissing) {
  const auto unavailable = [](result::Run& run) {
    change(run, "host/triad", [](result::BenchmarkResult& one) {
      one.status = result::Status::unavailable;
      one.reason = "no memory is left";
      one.metrics.clear();
    });
  };
  Fleet fleet = with_runs({1});
  fleet.add(19, {}, 1, unavailable);
  EXPECT_EQ(judged_of(fleet.judge(), "n19").verdicts.at(0).kind, VerdictKind::missing);
  // A later run that was asked for less is none that lacks something.
  Fleet asked = with_runs({1});
  asked.add(19, {}, 1, [](result::Run& run) {
    drop_benchmark(run, "host/triad");
    run.only = {"host/wake"};
  });
  EXPECT_EQ(judged_of(asked.judge(), "n19").state, NodeState::healthy);
}

TEST(PeerFaults, ACrashIsNotHiddenByAProcessBeforeItThatWasMerelyUnavailable) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, [](result::Run& run) {
    for (result::Process& process : run.processes) {
      process.samples.reset();
      process.status = process.index == 1 ? result::Status::failed : result::Status::unavailable;
      process.reason = process.index == 1 ? "ended by SIGSEGV" : "no library";
    }
  });
  const PeersJudgement judged = fleet.judge();
  EXPECT_THAT(judged_of(judged, "n11").verdicts,
              Contains(AllOf(::testing::Field(&Verdict::kind, VerdictKind::failed),
                             ::testing::Field(&Verdict::reason, HasSubstr("SIGSEGV")))));
}

const auto smoke = [](result::Run& run) { run.fingerprint.suite["suite.profile"] = "smoke"; };

TEST(PeerKinds, EachKindOfWorkOfANodeIsJudged) {
  for (const bool smoke_first : {true, false}) {
    Fleet fleet;
    for (int node = 0; node < 12; ++node) {
      fleet.add(node, {}, smoke_first ? 0 : 2, smoke);
      for (std::uint64_t round : {0, 1})
        fleet.add(node, {.triad = node == 7 ? 2.0 : 1.0}, round + (smoke_first ? 1 : 0));
    }
    const PeersJudgement judged = fleet.judge();
    EXPECT_EQ(judged.outcome.code, ExitCode::regressed) << smoke_first;
    EXPECT_EQ(judged_of(judged, "n07").state, NodeState::found);
    EXPECT_EQ(judged_of(judged, "n07").rounds, 3);
    ASSERT_EQ(judged.groups.size(), 2U);
    EXPECT_EQ(judged.groups[1].metrics, 3U);
    EXPECT_EQ(judged.nodes.size(), 12U) << "each node once";
  }
}

TEST(PeerKinds, ARunThatWasNotJudgedIsSaidAndNoPass) {
  Fleet fleet;
  fleet.add_healthy(0, 12);
  fleet.add(7, {.triad = 2}, 1, smoke);
  const PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(judged.outcome.sentence,
            "cannot judge all runs: 12 of 12 nodes are like their peers; 1 run not judged (n07)");
  EXPECT_EQ(judged_of(judged, "n07").state, NodeState::healthy);
  EXPECT_THAT(judged.remarks,
              ElementsAre(AllOf(HasSubstr("1 run (n07) was not judged: 1 node of its kind, and 8 are"),
                                HasSubstr("suite.profile is 'smoke' here and 'quick' there"))));
}

TEST(PeerKinds, OneRunOfOtherWorkBeforeItDoesNotHideTheNightsRun) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, smoke);
  for (std::uint64_t round : {1, 2}) fleet.add(11, {.triad = 2}, round);
  EXPECT_EQ(judged_of(fleet.judge(), "n11").state, NodeState::found);
}

TEST(PeerKinds, ANewcomerIsAsItsGravestKindOfWork) {
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({}, 0, smoke);
  gate.add_newcomer({.triad = 2}, 1);
  gate.add_newcomer({.triad = 2}, 2);
  EXPECT_EQ(gate.only().state, AdmissionState::refused);
  EXPECT_EQ(gate.only().files.size(), 3U);
  EXPECT_THAT(gate.only().remarks, Contains(HasSubstr("it is not judged: it was not measured as the fleet "
                                                      "was, or is another machine: suite.profile is smoke")));
  Gate well;
  well.add_fleet(12);
  well.add_newcomer({}, 0, smoke);
  well.add_newcomer({}, 1);
  EXPECT_EQ(well.only().state, AdmissionState::cannot_judge);
  EXPECT_THAT(well.only().remarks, Contains(HasSubstr("it is admitted: none of 3 metrics stands out")));
}

TEST(JudgePeers, NodesThatMeasuredNothingInCommonAreNotJudged) {
  Fleet fleet;
  for (int node = 0; node < 12; ++node)
    fleet.add(node, {}, 0, [](result::Run& run) {
      for (result::Process& process : run.processes) {
        process.samples.reset();
        process.status = result::Status::unavailable;
        process.reason = "libcublas.so.13 is not there";
      }
    });
  const PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(judged.outcome.sentence, HasSubstr("0 of 12 nodes are like their peers; 12 not judged"));
  EXPECT_FALSE(judged.groups.at(0).judged);
  EXPECT_EQ(judged_of(judged, "n03").state, NodeState::not_judged);
  EXPECT_THAT(judged_of(judged, "n03").reason,
              HasSubstr("no metric was measured by more than half of 12 nodes"));
  EXPECT_THAT(judged.remarks, ElementsAre("None of 12 nodes measured the family host; host is unavailable: "
                                          "libcublas.so.13 is not there."));
}

TEST(JudgePeers, AFamilyThatNoNodeCouldMeasureIsSaid) {
  Fleet fleet;
  for (int node = 0; node < 12; ++node)
    fleet.add(node, {}, 0, [](result::Run& run) {
      result::Process process;
      process.family = "cublas";
      process.status = result::Status::unavailable;
      process.reason = "libcublas.so.13 is not there";
      run.processes.push_back(process);
    });
  const PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::pass);
  EXPECT_THAT(judged.remarks, ElementsAre(HasSubstr("None of 12 nodes measured the family cublas")));
}

/// A host's runs, one for each boot.
Apply run_of_host(const std::string& boot) {
  return [=](result::Run& run) {
    run.device = "host";
    run.boot_id = boot;
    run.fingerprint.device = {{"host.cpu_model", "X"}};
  };
}

TEST(Admit, AHostIsNoPeerOfItselfUnderAnotherName) {
  Gate gate;
  for (int node = 0; node < 9; ++node) gate.add_fleet(1, run_of_host(fmt::format("boot {}", node)));
  for (std::size_t node = 0; node < 9; ++node) {
    gate.input.fleet.rounds[node].host = fmt::format("node{}", node);
    gate.input.fleet.rounds[node].node = fmt::format("host of node{}", node);
  }
  gate.add_newcomer({}, 0, run_of_host("boot 3"));
  const Admissions judged = gate.judge();
  EXPECT_EQ(judged.nodes.at(0).peers.devices, 8U);
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("nobody judges itself")));
}

}  // namespace
}  // namespace gpugauge::judge
