#include "judge/peer_hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge_peers.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// GPUs, so many a machine: of machine 0 those from 0 on, and so on. `host` names machines, where it does.
PeersInput gpus_of(PeerCollector& collector, int machines, int gpus,
                   const std::function<Slowness(int machine, int gpu)>& slow, int rounds = 1,
                   const std::string& host = "") {
  PeersInput input;
  for (int round = 0; round < rounds; ++round)
    for (int machine = 0; machine < machines; ++machine)
      for (int gpu = 0; gpu < gpus; ++gpu) {
        const int device = machine * gpus + gpu;
        result::Run run =
            make_run(static_cast<std::uint64_t>(device) + 1000U * static_cast<std::uint64_t>(round),
                     slow(machine, gpu));
        run.device = fmt::format("GPU-{:02}", device);
        tell_health(run, "remap_failed", 0);
        run.boot_id = fmt::format("boot of {}", machine);
        input.rounds.push_back(
            collector.reduce(run, fmt::format("{}-{}.json", device, round), fmt::format("g{:02}", device)));
        if (!host.empty()) input.rounds.back().host = fmt::format("{}{}", host, machine);
      }
  input.metrics = collector.metrics();
  return input;
}

Slowness healthy(int /*machine*/, int /*gpu*/) {
  return {};
}

TEST(PeerHosts, GpusAreNotCountedAsNodes) {
  PeerCollector collector;
  const PeersJudgement judged = judge_peers(gpus_of(collector, 3, 4, healthy));
  ASSERT_EQ(judged.groups.size(), 1U);
  EXPECT_EQ(judged.groups[0].nodes, 12U);
  EXPECT_EQ(judged.groups[0].hosts, 3U);
  EXPECT_EQ(judged.groups[0].counted, "12 GPUs on 3 nodes");
  EXPECT_EQ(judged.outcome.sentence, "pass: 12 of 12 GPUs on 3 nodes are like their peers");
  ASSERT_EQ(judged.hosts.size(), 3U);
  EXPECT_EQ(judged.hosts[0].nodes.size(), 4U);
  EXPECT_EQ(judged.hosts[0].state, NodeState::healthy);
}

TEST(PeerHosts, HostsWithoutABootAreNotOneMachine) {
  PeerCollector collector;
  PeersInput input;
  for (std::uint64_t host = 0; host < 10; ++host) {
    result::Run run = make_run(host);
    run.boot_id.clear();
    input.rounds.push_back(collector.reduce(run, fmt::format("{}.json", host), fmt::format("h{}", host)));
  }
  input.metrics = collector.metrics();
  const PeersJudgement judged = judge_peers(input);
  ASSERT_EQ(judged.nodes.size(), 10U);
  EXPECT_TRUE(judged.groups.at(0).judged);
  EXPECT_EQ(judged.outcome.code, ExitCode::pass) << judged.outcome.sentence;
  // The same run twice is one host still.
  input.rounds.push_back(input.rounds.front());
  input.rounds.back().file = "copy.json";
  EXPECT_EQ(judge_peers(input).nodes.size(), 10U);
}

TEST(PeerHosts, AMachineIsAsItsGravestGpu) {
  PeerCollector collector;
  const auto slow = [](int machine, int gpu) {
    return Slowness{.triad = machine == 1 && gpu == 2 ? 1.3 : 1.0};
  };
  const PeersInput input = gpus_of(collector, 4, 4, slow, 2, "node");
  const PeersJudgement judged = judge_peers(input);
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  EXPECT_EQ(judged.outcome.sentence, "1 of 16 GPUs has a finding, on 1 of 4 nodes (g06)");
  ASSERT_EQ(judged.hosts.size(), 4U);
  EXPECT_EQ(judged.hosts[0].name, "node1") << "the gravest first";
  EXPECT_EQ(judged.hosts[0].state, NodeState::found);
  EXPECT_EQ(judged.hosts[1].state, NodeState::healthy);
  EXPECT_EQ(judged.nodes[0].host, "node1");
  EXPECT_THAT(judged.nodes[0].verdicts.at(0).reason, HasSubstr("the median of 16 GPUs"));
}

TEST(PeerHosts, WhatTheGpusOfANodeShareIsSaid) {
  PeerCollector one_box;
  const auto one_slow = [](int /*machine*/, int gpu) { return Slowness{.triad = gpu == 5 ? 1.3 : 1.0}; };
  const PeersJudgement box = judge_peers(gpus_of(one_box, 1, 8, one_slow, 2));
  EXPECT_EQ(box.groups.at(0).counted, "8 GPUs on 1 node");
  EXPECT_TRUE(box.groups.at(0).judged) << "its GPUs are peers";
  EXPECT_EQ(box.nodes.at(0).label, "g05");
  EXPECT_EQ(box.nodes.at(0).state, NodeState::found);
  EXPECT_THAT(box.remarks,
              ElementsAre(AllOf(HasSubstr("All 8 GPUs"), HasSubstr("what slows the whole node does not"))));

  PeerCollector halves;
  EXPECT_THAT(judge_peers(gpus_of(halves, 2, 4, healthy, 1, "n")).remarks,
              ElementsAre(HasSubstr("are in one node (n0)"), HasSubstr("are in one node (n1)")));

  PeerCollector slow_box;
  const auto whole = [](int machine, int /*gpu*/) { return Slowness{.triad = machine == 2 ? 1.3 : 1.0}; };
  EXPECT_THAT(judge_peers(gpus_of(slow_box, 5, 4, whole, 2, "n")).remarks,
              ElementsAre(AllOf(HasSubstr("All 4 GPUs"), HasSubstr("of one node (n2) stand out"))));
}

TEST(PeerHosts, MachinesThatNobodyTellsAreNotCounted) {
  PeerCollector collector;
  PeersInput input = gpus_of(collector, 2, 6, healthy);
  for (PeerRound& round : input.rounds) round.boot.clear();
  const PeersJudgement judged = judge_peers(input);
  EXPECT_EQ(judged.groups.at(0).counted, "12 GPUs");
  EXPECT_THAT(judged.hosts, IsEmpty());
  EXPECT_EQ(judged.outcome.sentence, "pass: 12 of 12 GPUs are like their peers");
}

TEST(PeerHosts, ARebootAndAMissingNameMakeNoFurtherMachine) {
  PeerCollector collector;
  PeersInput input = gpus_of(collector, 2, 2, healthy, 2, "n");
  for (PeerRound& round : input.rounds)
    if (round.file.ends_with("-1.json")) round.boot += ", again";
  input.rounds[0].host.clear();  // the first of two rounds
  input.rounds[2].host.clear();
  input.rounds[6].host.clear();  // both rounds of GPU-02: n1 by the boot of its neighbour
  const PeersJudgement judged = judge_peers(input);
  ASSERT_EQ(judged.hosts.size(), 2U);
  EXPECT_THAT((std::vector{judged.hosts[0].name, judged.hosts[1].name}), UnorderedElementsAre("n0", "n1"));

  for (PeerRound& round : input.rounds) round.host.clear();
  EXPECT_EQ(judge_peers(input).hosts.size(), 2U) << "the devices that are in both boots join them";
  const auto machines = machines_by_boot(input.rounds);
  EXPECT_EQ(machines.at(0), machines.at(5));
  EXPECT_NE(machines.at(0), machines.at(2));
}

TEST(PeerHosts, ContainersOfOneMachineKeepTheirNames) {
  PeerCollector collector;
  PeersInput input = gpus_of(collector, 1, 8, healthy);
  for (std::size_t r = 0; r < input.rounds.size(); ++r) input.rounds[r].host = fmt::format("pod{}", r);
  EXPECT_EQ(judge_peers(input).groups.at(0).counted, "8 nodes");
}

}  // namespace
}  // namespace gpugauge::judge
