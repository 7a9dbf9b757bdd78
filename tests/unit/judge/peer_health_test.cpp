// A node whose GPU is broken is no pass, however like its peers it measures.
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate.hpp"
#include "peer_fleet.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// A change of a run: its GPU's newest value of a series of health.
std::function<void(result::Run&)> told(const std::string& series, double value) {
  return [=](result::Run& run) { tell_health(run, series, value); };
}

/// A change of a run: it tells nothing of its GPU's health.
void silent(result::Run& run) {
  run.telemetry.clear();
}

TEST(PeerHealth, AGpuThatCannotRepairItsMemoryIsAFindingAmongLikePeers) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, told("remap_failed", 1));
  const PeersJudgement judged = fleet.judge();
  const NodeJudgement& node = judged_of(judged, "n11");
  EXPECT_EQ(node.state, NodeState::found);
  ASSERT_THAT(node.verdicts, SizeIs(1));
  EXPECT_EQ(node.verdicts[0].metric, "health/memory");
  EXPECT_EQ(node.verdicts[0].kind, VerdictKind::failed);
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  EXPECT_EQ(judged.outcome.sentence, "1 of 12 nodes has a finding (n11)");
}

TEST(PeerHealth, WhatARepairMayCureIsDoubtThatNoFurtherRunDecides) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, told("remap_pending", 1));
  PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged_of(judged, "n11").state, NodeState::suspect);
  EXPECT_FALSE(judged_of(judged, "n11").measure_again) << "without a reset it would say the same";
  EXPECT_EQ(judged.outcome.code, ExitCode::pass);
  EXPECT_EQ(judged.outcome.sentence, "pass so far: 11 of 12 nodes are like their peers; 1 in doubt (n11)");
  EXPECT_EQ(fleet.judge(true).outcome.code, ExitCode::inconclusive);
  fleet.add(11, {}, 1, silent);
  EXPECT_EQ(judged_of(fleet.judge(), "n11").state, NodeState::suspect) << "that run tells nothing";
  fleet.add(11, {}, 2, told("remap_pending", 0));
  judged = fleet.judge();
  EXPECT_EQ(judged_of(judged, "n11").state, NodeState::healthy) << "it was reset, and measured again";
}

TEST(PeerHealth, RunsThatTellNothingAreNamed) {
  Fleet fleet;
  for (int node = 0; node < 11; ++node) fleet.add(node, {}, 0, told("remap_failed", 0));
  EXPECT_THAT(fleet.judge().remarks, Not(Contains(HasSubstr("health"))));
  fleet.add(11, {}, 0, silent);
  EXPECT_THAT(
      fleet.judge().remarks,
      Contains(
          "1 run tells nothing of the health of its GPUs (n11): there is no telemetry of them, or an older gpugauge kept it."));
  Fleet untold;
  for (int node = 0; node < 12; ++node) untold.add(node, {}, 0, silent);
  EXPECT_THAT(
      untold.judge().remarks,
      Contains(
          "No run tells of the health of its GPUs, so memory faults and errors that the driver reports (Xid) "
          "were not judged: there is no telemetry of them, or an older gpugauge kept it."));
}

TEST(PeerHealth, GpusOfOneNodeThatWaitForAResetAreNotUnlikeTheOthers) {
  Fleet fleet;
  const auto on = [](const char* boot, const std::function<void(result::Run&)>& apply = {}) {
    return [=](result::Run& run) {
      run.boot_id = boot;
      if (apply) apply(run);
    };
  };
  for (int node = 0; node < 10; ++node) fleet.add(node, {}, 0, on("one"));
  for (int node = 10; node < 12; ++node) fleet.add(node, {}, 0, on("two", told("remap_pending", 1)));
  EXPECT_THAT(fleet.judge().remarks, Not(Contains(HasSubstr("stand out"))));
}

TEST(PeerHealth, WhatFailedIsNotCuredByALaterRun) {
  Fleet fleet;
  fleet.add_healthy(0, 11);
  fleet.add(11, {}, 0, told("xid", 48));
  fleet.add(11, {}, 1, silent);
  EXPECT_EQ(judged_of(fleet.judge(), "n11").state, NodeState::found);
}

TEST(PeerHealth, NeedsNoPeers) {
  Fleet fleet;
  fleet.add_healthy(0, 2);
  fleet.add(2, {}, 0, told("remap_failed", 1));
  const PeersJudgement judged = fleet.judge();
  EXPECT_EQ(judged_of(judged, "n02").state, NodeState::found);
  EXPECT_EQ(judged_of(judged, "n01").state, NodeState::not_judged);
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
}

TEST(PeerHealth, ABrokenNewcomerIsRefusedAndOneInDoubtIsNotLetIn) {
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({}, 0, told("remap_failed", 1));
  Admission one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::refused);
  EXPECT_THAT(one.reason, HasSubstr("1 finding with 3 metrics compared: health/memory: failed: "));

  Gate doubtful;
  doubtful.add_fleet(12);
  doubtful.add_newcomer({}, 0, told("remap_pending", 1));
  one = doubtful.only();
  EXPECT_EQ(one.state, AdmissionState::measure_again);
  EXPECT_THAT(one.reason, HasSubstr("1 finding in doubt with 3 metrics compared, health/memory first: "));
  EXPECT_THAT(one.reason, HasSubstr("; then check again"));
  doubtful.add_newcomer({}, 1);
  EXPECT_EQ(doubtful.only().state, AdmissionState::measure_again) << "that run tells nothing";
  doubtful.add_newcomer({}, 2, told("remap_pending", 0));
  EXPECT_EQ(doubtful.only().state, AdmissionState::admitted);
  EXPECT_THAT(doubtful.only().verdicts, IsEmpty());
}

TEST(PeerHealth, ABrokenNewcomerIsRefusedByAFleetThatIsTooSmallOrUnlikeIt) {
  Gate few;
  few.add_fleet(3);
  few.add_newcomer({}, 0, told("remap_failed", 1));
  EXPECT_EQ(few.only().state, AdmissionState::refused);
  EXPECT_THAT(few.only().reason, HasSubstr("health/memory failed: "));
  Gate doubtful;
  doubtful.add_fleet(3);
  doubtful.add_newcomer({}, 0, told("remap_pending", 1));
  EXPECT_EQ(doubtful.only().state, AdmissionState::cannot_judge);
  EXPECT_THAT(doubtful.only().verdicts, SizeIs(1));
}

}  // namespace
}  // namespace gpugauge::judge
