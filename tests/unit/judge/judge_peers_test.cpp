#include "judge/judge_peers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "peer_fleet.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(JudgePeers, AHealthyFleetPasses) {
  Fleet fleet;
  fleet.add_healthy(0, 20);
  const PeersJudgement judgement = fleet.judge();
  EXPECT_EQ(judgement.outcome.code, ExitCode::pass);
  EXPECT_EQ(judgement.outcome.sentence, "pass: 20 of 20 nodes are like their peers");
  ASSERT_EQ(judgement.groups.size(), 1U);
  EXPECT_EQ(judgement.groups[0].metrics, 3U);
  for (const NodeJudgement& node : judgement.nodes) EXPECT_THAT(node.verdicts, IsEmpty());
}

TEST(JudgePeers, ASlowNodeIsASuspectUntilASecondRunConfirmsIt) {
  Fleet fleet;
  fleet.add_healthy(0, 19);
  fleet.add(19, {.triad = 1.3});
  const PeersJudgement once = fleet.judge();
  EXPECT_EQ(once.outcome.code, ExitCode::pass);
  EXPECT_THAT(once.outcome.sentence, HasSubstr("1 to be measured again (n19)"));
  EXPECT_EQ(once.nodes.front().label, "n19") << "findings first";
  EXPECT_EQ(once.nodes.front().state, NodeState::suspect);
  EXPECT_TRUE(once.nodes.front().measure_again);
  EXPECT_EQ(fleet.judge(true).outcome.code, ExitCode::inconclusive);

  fleet.add(19, {.triad = 1.3}, 1);
  const PeersJudgement twice = fleet.judge();
  EXPECT_EQ(twice.outcome.code, ExitCode::regressed);
  const NodeJudgement& node = judged_of(twice, "n19");
  EXPECT_EQ(node.state, NodeState::found);
  EXPECT_EQ(node.rounds, 2);
  EXPECT_FALSE(node.measure_again);
  ASSERT_EQ(node.verdicts.size(), 1U);
  EXPECT_EQ(node.verdicts[0].metric, triad);
  EXPECT_EQ(node.verdicts[0].kind, VerdictKind::regressed);
  EXPECT_EQ(node.verdicts[0].judge, Judge::peers);
  EXPECT_NEAR(node.verdicts[0].change.value(), .23, .02);
  EXPECT_NEAR(node.verdicts[0].baseline.value(), 2e10, 2e8);
}

TEST(JudgePeers, APolicyMovesTheTolerancesAndExcusesByName) {
  Fleet fleet;
  fleet.add_healthy(0, 19);
  fleet.add(19, {.triad = 1.3});
  fleet.add(19, {.triad = 1.3}, 1);
  fleet.policy().metrics = {{.pattern = triad, .tolerance = .5, .advisory = {}, .why = {}}};
  EXPECT_EQ(fleet.judge().outcome.code, ExitCode::pass);
  EXPECT_THAT(judged_of(fleet.judge(), "n19").verdicts, IsEmpty());

  fleet.policy().metrics = {{.pattern = triad, .tolerance = {}, .advisory = true, .why = "a trial"}};
  const PeersJudgement excused = fleet.judge(true);
  EXPECT_EQ(excused.outcome.code, ExitCode::pass);
  const NodeJudgement& node = judged_of(excused, "n19");
  EXPECT_EQ(node.state, NodeState::healthy);
  EXPECT_FALSE(node.measure_again);
  ASSERT_EQ(node.verdicts.size(), 1U) << "reported";
  EXPECT_TRUE(node.verdicts[0].advisory);
  EXPECT_THAT(excused.remarks, ElementsAre(HasSubstr("1 verdict (n19) is advisory by the policy")));

  fleet.add(18, {.wake = 2});
  fleet.add(18, {.wake = 2}, 1);
  EXPECT_NE(judged_of(fleet.judge(), "n18").state, NodeState::healthy) << "of another name";
}

TEST(JudgePeers, ASecondRunThatIsFineClearsTheNode) {
  Fleet fleet;
  fleet.add_healthy(0, 19);
  fleet.add(19, {.triad = 1.3});
  fleet.add(19, {}, 1);
  EXPECT_EQ(fleet.judge(true).outcome.code, ExitCode::pass);
  EXPECT_EQ(judged_of(fleet.judge(), "n19").state, NodeState::healthy);
}

TEST(JudgePeers, ASecondRunOfOtherSourcesNeitherConfirmsNorClears) {
  for (const double again : {1.3, 1.0}) {
    Fleet fleet;
    fleet.add_healthy(0, 19);
    fleet.add(19, {.triad = 1.3});
    fleet.add(19, {.triad = again}, 1,
              [](result::Run& run) { run.fingerprint.suite["suite.source_hash.host"] = "cd"; });
    EXPECT_EQ(judged_of(fleet.judge(), "n19").state, NodeState::suspect) << again;
    EXPECT_TRUE(judged_of(fleet.judge(), "n19").measure_again);
    fleet.add(19, {.triad = again}, 2,
              [](result::Run& run) { run.fingerprint.suite["suite.source_hash.other"] = "cd"; });
    EXPECT_EQ(judged_of(fleet.judge(), "n19").state, again > 1 ? NodeState::found : NodeState::healthy)
        << "another family's sources do not matter to it";
  }
}

TEST(JudgePeers, OneRunGivenTwiceConfirmsNothing) {
  Fleet fleet;
  fleet.add_healthy(0, 19);
  fleet.add(19, {.triad = 1.3});
  fleet.add(19, {.triad = 1.3});
  const PeersJudgement judgement = fleet.judge();
  EXPECT_EQ(judged_of(judgement, "n19").state, NodeState::suspect);
  EXPECT_THAT(judgement.remarks, ElementsAre(HasSubstr("one run cannot confirm itself")));
}

TEST(JudgePeers, EachRunThatWasGivenMoreThanOnceIsNamedWithItsNumber) {
  Fleet fleet;
  fleet.add_healthy(0, 19);
  for (const std::uint64_t round : {0, 1, 1, 2, 2, 2}) fleet.add(19, {}, round);
  EXPECT_THAT(fleet.judge().remarks, ElementsAre(HasSubstr("19-1.json was given 2 times"),
                                                 HasSubstr("19-2.json was given 3 times")));
}

TEST(JudgePeers, AMetricThatOneNodeLacksIsMissingThereByName) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, [](result::Run& run) { drop_benchmark(run, "host/triad"); });
  const PeersJudgement judgement = fleet.judge();
  EXPECT_EQ(judgement.outcome.code, ExitCode::regressed);
  ASSERT_EQ(judged_of(judgement, "n11").verdicts.size(), 1U);
  EXPECT_EQ(judged_of(judgement, "n11").verdicts[0].kind, VerdictKind::missing);
  EXPECT_EQ(judged_of(judgement, "n11").verdicts[0].metric, triad);
  EXPECT_THAT(judged_of(judgement, "n11").verdicts[0].reason, HasSubstr("11 of 12 nodes measure it"));
}

TEST(JudgePeers, AMetricThatMostNodesLackIsNotComparedAndThatIsSaid) {
  Fleet fleet;
  for (int node = 0; node < 12; ++node)
    fleet.add(node, {}, 0, [&](result::Run& run) {
      if (node > 2) drop_benchmark(run, "host/triad");
    });
  const PeersJudgement judgement = fleet.judge();
  EXPECT_EQ(judgement.outcome.code, ExitCode::pass) << judgement.outcome.sentence;
  EXPECT_EQ(judgement.metrics_open, 0U);
  EXPECT_THAT(judgement.metrics_not_judged, ElementsAre("host/triad:bandwidth: 3 of 12 nodes measure it"));
}

TEST(JudgePeers, AMetricThatExactlyHalfOfThemHaveIsMissingNowhere) {
  Fleet fleet;
  for (int node = 0; node < 16; ++node)
    fleet.add(node, {}, 0, [&](result::Run& run) {
      if (node < 8) drop_benchmark(run, "host/triad");
    });
  const PeersJudgement judgement = fleet.judge();
  EXPECT_EQ(judgement.outcome.code, ExitCode::cannot_judge) << judgement.outcome.sentence;
  EXPECT_THAT(judgement.metrics_not_judged, ElementsAre("host/triad:bandwidth: 8 of 16 nodes measure it"));
}

TEST(JudgePeers, AFailedBenchmarkAndADeadFamilyAreFindings) {
  Fleet fleet;
  fleet.add_healthy(0, 10);
  fleet.add(10, {}, 0, [](result::Run& run) {
    change(run, "host/triad", [](result::BenchmarkResult& found) {
      found.verifications = {{"checksum", false, 3.0, .5}};
    });
  });
  fleet.add(11, {}, 0, [](result::Run& run) {
    for (result::Process& process : run.processes) {
      process.status = result::Status::failed;
      process.reason = "ended by SIGSEGV";
      process.samples.reset();
    }
  });
  const PeersJudgement judgement = fleet.judge();
  EXPECT_EQ(judgement.outcome.code, ExitCode::regressed);
  EXPECT_EQ(judged_of(judgement, "n10").verdicts[0].kind, VerdictKind::failed);
  EXPECT_THAT(judged_of(judgement, "n10").verdicts[0].reason, HasSubstr("the result is wrong"));
  EXPECT_EQ(judged_of(judgement, "n11").state, NodeState::found);
  EXPECT_THAT(judged_of(judgement, "n11").verdicts[0].reason, HasSubstr("SIGSEGV"));
}

TEST(JudgePeers, ARunThatWasCutShortIsMeasuredAgain) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, [](result::Run& run) {
    drop_benchmark(run, "host/wake");
    run.complete = false;
    run.partial_reason = "interrupted by SIGINT";
  });
  const PeersJudgement judgement = fleet.judge();
  EXPECT_EQ(judgement.outcome.code, ExitCode::pass);
  EXPECT_EQ(judged_of(judgement, "n11").state, NodeState::suspect);
  EXPECT_TRUE(judged_of(judgement, "n11").measure_again);
}

TEST(JudgePeers, AFileThatWasRefusedIsNamedAndNeverAPass) {
  Fleet fleet;
  fleet.add_healthy(0, 10);
  fleet.add_unread("bad");
  const PeersJudgement judgement = fleet.judge();
  EXPECT_EQ(judgement.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(judged_of(judgement, "bad").reason, "could not be read: the file is truncated");
  EXPECT_TRUE(judged_of(judgement, "bad").measure_again);
}

TEST(JudgePeers, ANodeOfAnotherKindIsNotJudgedAndTheFieldIsNamed) {
  Fleet fleet;
  fleet.add_healthy(0, 10);
  fleet.add(10, {.triad = 3}, 0, [](result::Run& run) { run.fingerprint.stack["driver.version"] = "1"; });
  const PeersJudgement judgement = fleet.judge();
  EXPECT_EQ(judgement.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(judged_of(judgement, "n10").state, NodeState::not_judged);
  EXPECT_THAT(judged_of(judgement, "n10").reason,
              HasSubstr("stack.driver.version is '1' here and absent there"));
  ASSERT_EQ(judgement.groups.size(), 2U);
  EXPECT_FALSE(judgement.groups[1].judged);
}

TEST(JudgePeers, ANodeThatLacksAFamilyIsOfTheSameKindAndOneWithOtherSourcesIsNot) {
  Fleet fleet;
  for (int node = 0; node < 10; ++node)
    fleet.add(node, {}, 0, [&](result::Run& run) {
      run.fingerprint.suite["suite.source_hash.gemm"] = "cd";
      if (node == 3) run.fingerprint.suite.erase("suite.source_hash.gemm");
      if (node == 4) run.fingerprint.suite["suite.source_hash.gemm"] = "ef";
    });
  const PeersJudgement judgement = fleet.judge();
  EXPECT_EQ(judged_of(judgement, "n03").state, NodeState::healthy);
  EXPECT_EQ(judged_of(judgement, "n04").state, NodeState::not_judged);
}

TEST(JudgePeers, SevenNodesAreTooFewAndNoneIsNoPass) {
  Fleet fleet;
  EXPECT_EQ(fleet.judge().outcome.code, ExitCode::cannot_judge);
  fleet.add_healthy(0, 7);
  EXPECT_EQ(fleet.judge().outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(fleet.judge().nodes[0].reason, HasSubstr("7 nodes of its kind, and 8 are needed"));
  Fleet one;
  one.add_healthy(0, 1);
  EXPECT_THAT(one.judge().outcome.sentence, HasSubstr("0 of 1 node is like its peers"));
}

TEST(PeerTolerance, IsWiderWhereThePowerLimitDecides) {
  EXPECT_EQ(peer_tolerance({}, "gemm16"), .08);
  EXPECT_EQ(peer_tolerance({}, "hbm"), .03);
  Policy policy;
  policy.tolerance["gemm16"] = .02;
  EXPECT_EQ(peer_tolerance(policy, "gemm16"), .02);
}

TEST(PeerTolerance, WhatAPolicySaysOfAMetricComesBeforeItsClass) {
  Policy policy;
  policy.metrics = {{"gemm/*:throughput", .2, false, ""}, {"gemm/a:*", std::nullopt, true, ""}};
  EXPECT_EQ(peer_tolerance(policy, "gemm16", "gemm/a:throughput"), .2);
  EXPECT_EQ(peer_tolerance(policy, "gemm16", "gemm/a:latency"), .08);
  policy.metrics = {{"gemm/*", .03, false, ""}};
  EXPECT_EQ(peer_tolerance(policy, "gemm16", "gemm/a:throughput"), .03)
      << "as a class that nobody set has it";
}

/// Every pair of the first nodes of f0, f1, ...; what f3 is part of has this value.
FabricInput pairs(double slow, int nodes = 4) {
  FabricInput out;
  out.metric = "nccl/all_reduce/256MiB:busbw";
  out.metric_class = "coll_large";
  out.unit = "byte/second";
  for (int a = 0; a < nodes; ++a)
    for (int b = a + 1; b < nodes; ++b)
      out.measurements.push_back(
          {{fmt::format("f{}", a), fmt::format("f{}", b)}, 0, b == 3 ? slow : 1.0, ""});
  return out;
}

TEST(JudgePeers, NodesThatWereMeasuredTogetherCountBesideTheOthers) {
  PeersInput input;
  input.fabrics = {pairs(1)};
  const PeersJudgement well = judge_peers(input);
  EXPECT_EQ(well.outcome.code, ExitCode::pass);
  EXPECT_EQ(well.outcome.sentence, "pass: 1 metric between nodes shows no slow node and no slow path");
  input.fabrics = {pairs(.5), pairs(.6)};
  const PeersJudgement slow = judge_peers(input);
  EXPECT_EQ(slow.outcome.code, ExitCode::regressed);
  EXPECT_EQ(slow.outcome.sentence, "between nodes: slow node f3") << "once, whatever the number of metrics";
  ASSERT_EQ(slow.fabrics.size(), 2U);

  Fleet fleet;
  fleet.add_healthy(0, 8);
  PeersInput both = fleet.input();
  both.fabrics = {pairs(.5)};
  EXPECT_EQ(judge_peers(both).outcome.sentence, "between nodes: slow node f3");
  both.fabrics = {pairs(1)};
  EXPECT_EQ(
      judge_peers(both).outcome.sentence,
      "pass: 8 of 8 nodes are like their peers; 1 metric between nodes shows no slow node and no slow path");
}

TEST(JudgePeers, AFabricThatCouldNotBeComparedIsNoPass) {
  PeersInput input;
  input.fabrics = {pairs(1, 2)};
  const PeersJudgement alone = judge_peers(input);
  EXPECT_EQ(alone.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(alone.outcome.sentence, HasSubstr("1 of 1 metrics between nodes could not be compared"));
  // Slow once with one partner: in doubt, and that counts only with strict.
  input.fabrics = {pairs(1, 3)};
  input.fabrics[0].measurements.push_back({{"f0", "f9"}, 0, .5, ""});
  EXPECT_EQ(judge_peers(input).outcome.code, ExitCode::pass);
  EXPECT_THAT(judge_peers(input).outcome.sentence, HasSubstr("between nodes undecided: f9"));
  EXPECT_EQ(judge_peers(input, {}, true).outcome.code, ExitCode::inconclusive);
}

}  // namespace
}  // namespace gpugauge::judge
