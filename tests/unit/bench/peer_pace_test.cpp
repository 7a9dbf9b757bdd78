// How much is copied on a way between two GPUs.
#include "copy/peer_pace.hpp"

#include <gtest/gtest.h>

namespace gpugauge::bench::copy {
namespace {

/// Of a way with this bandwidth, in bytes a second.
PeerPace at(double bandwidth, double budget) {
  return peer_pace(static_cast<double>(least_peer_bytes) / bandwidth, budget);
}
double planned_seconds(const PeerPace& pace, double bandwidth) {
  return peer_samples * pace.copies * static_cast<double>(pace.bytes) / bandwidth;
}

TEST(PeerPace, IsSixteenWholeCopiesWhereThereIsTime) {
  for (const double bandwidth : {25e9, 400e9}) {
    const PeerPace pace = at(bandwidth, 2);
    EXPECT_EQ(pace.bytes, whole_peer_bytes) << bandwidth;
    EXPECT_EQ(pace.copies, 16) << bandwidth;
  }
}

TEST(PeerPace, KeepsEveryWayOfEightGpusWithinTheWindow) {
  const double budget = 4.0 / 56;
  for (const double bandwidth : {1.5e9, 5e9, 10e9, 25e9, 50e9, 400e9}) {
    const PeerPace pace = at(bandwidth, budget);
    EXPECT_LE(planned_seconds(pace, bandwidth), budget * 1.001) << bandwidth;
    EXPECT_GE(pace.copies, 1);
    EXPECT_LE(pace.copies, 16);
    EXPECT_GE(pace.bytes, least_peer_bytes);
  }
  EXPECT_EQ(at(25e9, budget).bytes, whole_peer_bytes);
  EXPECT_EQ(at(25e9, budget).copies, 1);
  EXPECT_EQ(at(10e9, budget).bytes, whole_peer_bytes / 2);
}

TEST(PeerPace, IsOneSmallCopyOnAWayThatIsSlowerThanAnyPlan) {
  const PeerPace pace = at(1e8, 0.01);
  EXPECT_EQ(pace.bytes, least_peer_bytes);
  EXPECT_EQ(pace.copies, 1);
}

TEST(PeerPace, OfNoTimeAtAllIsTheWholeSample) {
  EXPECT_EQ(peer_pace(0, 1).copies, 16);
  EXPECT_EQ(peer_pace(0, 1).bytes, whole_peer_bytes);
}

TEST(PeerPace, TakesFiveSamplesHoweverSlowTheWayIs) {
  EXPECT_FALSE(has_its_samples(1, 100, .01));
  EXPECT_FALSE(has_its_samples(4, 100, .01));
  EXPECT_TRUE(has_its_samples(5, 100, .01));
  EXPECT_FALSE(has_its_samples(5, .009, .01)) << "there is time for more";
  EXPECT_TRUE(has_its_samples(15, .001, .01));
}

TEST(PeerPace, JudgesNothingFromFewerThanFiveSamples) {
  EXPECT_EQ(why_not_judged(5, false), "");
  EXPECT_EQ(why_not_judged(4, false), "4 samples are fewer than the 5 that a median is judged from");
}

TEST(PeerPairs, AreNamedAsLongAsTheyAreNotMeasured) {
  const std::vector<GpuPair> pairs = all_pairs(3, false);
  ASSERT_EQ(pairs.size(), 6U);
  EXPECT_EQ(pairs_left(pairs, 4), "2 of 6 pairs: 2_to_0 2_to_1");
}

TEST(PeerPairs, BothWaysAreEachMeasuredOnce) {
  std::string names;
  for (const GpuPair& pair : all_pairs(3, true)) names += name_of(pair) + " ";
  EXPECT_EQ(names, "0_and_1 0_and_2 1_and_2 ");
  EXPECT_EQ(name_of({.from = 2, .to = 1}), "2_to_1");
  EXPECT_TRUE(all_pairs(1, true).empty());
}

TEST(PeerBandwidth, CountsTheBytesOfBothWays) {
  EXPECT_EQ(peer_bandwidth(1000, false, 0.5), 2000);
  EXPECT_EQ(peer_bandwidth(1000, true, 0.5), 4000);
}

// A batch of small copies is long compared with what events resolve.
TEST(CopiesInABatch, AreMoreOfSmallOnes) {
  EXPECT_EQ(most_copies(4096), 128);
  EXPECT_EQ(most_copies((1 << 20) - 1), 128);
  EXPECT_EQ(most_copies(1 << 20), 16);
  EXPECT_EQ(most_copies(std::uint64_t{1} << 30), 16);
  const PeerPace small = fixed_pace(4096);
  EXPECT_EQ(small.bytes, 4096U);
  EXPECT_EQ(small.copies, 128);
}

TEST(PeerPace, ATimeThatHoldsTheHostsEnqueueingIsNotJudged) {
  EXPECT_EQ(why_not_judged(15, true),
            "nothing held the copies back until all were enqueued: it holds the host's enqueueing");
}

// Microseconds need more tolerance than bandwidths, and would hide these in the mean of their class.
TEST(PeerPace, TimesAreNotOfTheClassOfBandwidths) {
  EXPECT_STREQ(class_of_copies(4096), "coll_small");
  EXPECT_STREQ(class_of_copies(0), "p2p");
}

TEST(Sizes, TheNoteOfTheCacheSaysHowMuchOfTheDataItHolds) {
  constexpr std::uint64_t l2 = 50 << 20;
  EXPECT_EQ(cache_note(8 << 10, l2), "all of the data stays in L2");
  EXPECT_EQ(cache_note(l2, l2), "all of the data stays in L2");
  EXPECT_EQ(cache_note(l2 + 1, l2), "part of the data stays in L2");
  EXPECT_EQ(cache_note(3 * l2 - 1, l2), "part of the data stays in L2");
  EXPECT_EQ(cache_note(3 * l2, l2), "cold: all buffers together are at least three times L2");
}

}  // namespace
}  // namespace gpugauge::bench::copy
