// What moved between two passes over a fleet, and who may tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "peer_fleet.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;

std::function<void(result::Run&)> at(int day, int hour) {
  return [=](result::Run& run) { run.started = fmt::format("2026-01-0{}T{:02}:00:00Z", day, hour); };
}

/// 16 nodes, those below `slow` 15% slower for good; these, and so many healthy ones, were measured again.
Fleet measured_again(int slow, int healthy) {
  Fleet fleet;
  const auto speed = [&](int node) { return Slowness{.triad = node < slow ? 1.15 : 1}; };
  for (int node = 0; node < 16; ++node) fleet.add(node, speed(node), 0, at(1, 3));
  for (int node = 0; node < slow + healthy; ++node) fleet.add(node, speed(node), 1, at(1, 4));
  return fleet;
}

TEST(PeerPasses, SuspectsThatWereMeasuredAgainAreNotTheirOwnYardstick) {
  for (const int healthy : {0, 1, 2, 4, 9}) {
    const PeersJudgement judged = measured_again(7, healthy).judge();
    EXPECT_EQ(judged.outcome.code, ExitCode::regressed) << healthy;
    EXPECT_THAT(judged.outcome.sentence, HasSubstr("7 of 16 nodes have a finding")) << healthy;
  }
}

TEST(PeerPasses, SuspectsThatWereSlowByChanceAreAcquittedByTheFirstMedian) {
  Fleet fleet;
  for (int node = 0; node < 16; ++node) fleet.add(node, {.triad = node < 7 ? 1.15 : 1}, 0, at(1, 3));
  for (int node = 0; node < 8; ++node) fleet.add(node, {}, 1, at(1, 4));
  EXPECT_EQ(fleet.judge(true).outcome.code, ExitCode::pass);
}

/// 12 nodes on two nights, the second one faster by a fifth; n11 was measured in the second alone.
Fleet late(double speed) {
  Fleet fleet;
  for (int node = 0; node < 11; ++node) {
    fleet.add(node, {}, 0, at(1, 3));
    fleet.add(node, {.triad = 1 / 1.2}, 1, at(2, 3));
  }
  fleet.add(11, {.triad = speed}, 1, at(2, 3));
  return fleet;
}

TEST(PeerPasses, ANodeThatJoinedInALaterNightIsHeldAgainstThatNight) {
  Fleet slow = late(1);
  EXPECT_EQ(judged_of(slow.judge(), "n11").state, NodeState::suspect);
  EXPECT_EQ(slow.judge(true).outcome.code, ExitCode::inconclusive);
  slow.add(11, {}, 2, at(2, 4));
  const PeersJudgement judged = slow.judge();
  EXPECT_EQ(judged_of(judged, "n11").state, NodeState::found);
  EXPECT_NEAR(judged_of(judged, "n11").verdicts.at(0).baseline.value(), 2.4e10, 3e8) << "of its own night";
  EXPECT_NEAR(judged_of(judged, "n11").verdicts.at(0).value.value(), 2e10, 3e8);
  EXPECT_EQ(late(1 / 1.2).judge(true).outcome.code, ExitCode::pass);
}

TEST(PeerPasses, ANightThatMovedABoxOfEightBlamesNobody) {
  for (const double night : {.8, 1.2})
    for (const double fault : {1.0, 1.3}) {
      Fleet fleet;
      for (int night_of = 1; night_of <= 3; ++night_of)
        for (int node = 0; node < 8; ++node)
          fleet.add(node, {.triad = (node == 5 ? fault : 1) * (night_of > 1 ? night : 1)},
                    static_cast<std::uint64_t>(night_of), at(night_of, 3));
      const PeersJudgement judged = fleet.judge(true);
      if (fault > 1)
        EXPECT_THAT(judged.outcome.sentence, HasSubstr("1 of 8 nodes has a finding (n05)")) << night;
      else
        EXPECT_EQ(judged.outcome.code, ExitCode::pass) << judged.outcome.sentence;
    }
}

}  // namespace
}  // namespace gpugauge::judge
