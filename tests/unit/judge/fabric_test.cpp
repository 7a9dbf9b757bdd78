// Who is named, who is not, and what is asked for, on sets of nodes with names.
#include "judge/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::judge {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double full = 400e9;

class Pairs {
 public:
  Pairs() {
    input.metric = "nccl/all_reduce/256MiB:busbw";
    input.metric_class = "coll_large";
    input.unit = "byte/second";
  }
  Pairs& add(std::vector<std::string> nodes, double share) {
    input.measurements.push_back({std::move(nodes), 0, share * full, ""});
    return *this;
  }
  Pairs& fail(std::vector<std::string> nodes, const std::string& reason) {
    input.measurements.push_back({std::move(nodes), 0, std::nullopt, reason});
    return *this;
  }
  FabricJudgement judge() const { return judge_fabric(input); }

  FabricInput input;
};

/// Every pair of n nodes; node and path are as fast as they are told to be.
Pairs every_pair(int nodes, const std::map<std::string, double>& slow,
                 const std::map<std::pair<std::string, std::string>, double>& paths = {}) {
  Pairs out;
  const auto name = [](int i) { return fmt::format("n{}", i); };
  const auto speed = [&](const std::string& node) { return slow.contains(node) ? slow.at(node) : 1.0; };
  for (int a = 0; a < nodes; ++a)
    for (int b = a + 1; b < nodes; ++b) {
      const auto path = paths.find({name(a), name(b)});
      out.add({name(a), name(b)},
              std::min({speed(name(a)), speed(name(b)), path == paths.end() ? 1 : path->second}));
    }
  return out;
}

TEST(Fabric, NamesTheCommonMemberOfSlowPairsAndNotThePairs) {
  const FabricJudgement judged = every_pair(5, {{"n3", .6}}).judge();
  ASSERT_THAT(judged.findings, SizeIs(1));
  EXPECT_EQ(judged.findings[0].fault, FabricFault::slow_node);
  EXPECT_THAT(judged.findings[0].nodes, ElementsAre("n3"));
  EXPECT_NEAR(*judged.findings[0].change, .4, 1e-12);
  EXPECT_THAT(
      judged.findings[0].sentence,
      HasSubstr("is slow with every partner (n0 240 GB/s, n1 240 GB/s, n2 240 GB/s, n4 240 GB/s), and "
                "they are fast with others (reference 400 GB/s)"));
  EXPECT_THAT(judged.measure_again, IsEmpty());
  EXPECT_EQ(judged.nodes[3].state, "slow");
  EXPECT_EQ(judged.nodes[0].state, "fine");
  EXPECT_NEAR(*judged.nodes[3].slowness, .4, 1e-12);
  EXPECT_NEAR(*judged.sizes.at(0).reference, full, 1e-9 * full);
  for (const FabricSet& set : judged.sets) EXPECT_NEAR(*set.unexplained, 0, 1e-12);
}

TEST(Fabric, ASlowPathIsMeasuredAgainBeforeItIsNamed) {
  Pairs pairs = every_pair(4, {}, {{{"n0", "n1"}, .3}});
  const FabricJudgement once = pairs.judge();
  ASSERT_THAT(once.findings, SizeIs(1));
  EXPECT_EQ(once.findings[0].fault, FabricFault::undecided);
  EXPECT_THAT(once.findings[0].sentence, HasSubstr("slow once (120 GB/s; reference 400 GB/s)"));
  EXPECT_THAT(once.measure_again, ElementsAre(ElementsAre("n0", "n1")));
  const FabricJudgement twice = pairs.add({"n0", "n1"}, .31).judge();
  ASSERT_THAT(twice.findings, SizeIs(1));
  EXPECT_EQ(twice.findings[0].fault, FabricFault::slow_path);
  EXPECT_THAT(twice.findings[0].sentence, HasSubstr("slow each time (120 GB/s, 124 GB/s"));
  EXPECT_THAT(twice.measure_again, IsEmpty());
  const FabricJudgement well = every_pair(4, {}, {{{"n0", "n1"}, .3}}).add({"n0", "n1"}, 1).judge();
  EXPECT_THAT(well.findings, IsEmpty());
  EXPECT_THAT(well.remarks, ElementsAre(HasSubstr("n0 and n1 were slow once and fast when measured again")));
}

TEST(Fabric, SaysWhatCannotBeSeparatedAndAsksForWhatWould) {
  // n3 and n4 only ever met each other.
  const FabricJudgement pair = every_pair(3, {}).add({"n3", "n4"}, .5).judge();
  ASSERT_THAT(pair.findings, SizeIs(2));
  for (const FabricFinding& found : pair.findings) {
    EXPECT_EQ(found.fault, FabricFault::undecided);
    EXPECT_THAT(found.sentence, HasSubstr("was measured in one pair only"));
  }
  EXPECT_THAT(pair.measure_again, SizeIs(4));
  EXPECT_THAT(pair.measure_again, Contains(ElementsAre("n0", "n3")));
  EXPECT_FALSE(pair.nodes[3].slowness);
  EXPECT_EQ(pair.nodes[3].state, "undecided");
  // The two partners that were asked for tell.
  Pairs more = every_pair(3, {}).add({"n3", "n4"}, .5);
  for (const std::vector<std::string>& nodes : pair.measure_again)
    more.add(nodes, nodes.back() == "n3" ? .5 : 1);
  const FabricJudgement told = more.judge();
  ASSERT_THAT(told.findings, SizeIs(1));
  EXPECT_EQ(told.findings[0].fault, FabricFault::slow_node);
  EXPECT_THAT(told.findings[0].nodes, ElementsAre("n3"));
}

TEST(Fabric, OneSetOfItsSizeHasNothingToBeComparedWith) {
  const FabricJudgement two = Pairs().add({"a", "b"}, 1).judge();
  EXPECT_FALSE(two.judged);
  EXPECT_THAT(two.remarks, ElementsAre(HasSubstr("one pair has nothing to be compared with")));
  EXPECT_EQ(two.nodes[0].state, "not judged");
  // All nodes at once beside their pairs: said, and the pairs are judged.
  const FabricJudgement all = every_pair(4, {}).add({"n0", "n1", "n2", "n3"}, .4).judge();
  EXPECT_TRUE(all.judged);
  EXPECT_THAT(all.findings, IsEmpty());
  EXPECT_THAT(all.remarks, ElementsAre(HasSubstr("one set of 4 nodes has nothing to be compared with")));
}

TEST(Fabric, TwoNodesAloneAreMeasuredAgainBeforeTheirPathIsNamed) {
  Pairs pairs = Pairs().add({"a", "b"}, .5);
  pairs.input.expected = full;
  const FabricJudgement once = pairs.judge();
  ASSERT_THAT(once.findings, SizeIs(1));
  EXPECT_EQ(once.findings[0].fault, FabricFault::undecided);
  EXPECT_THAT(once.findings[0].sentence, HasSubstr("slow once (200 GB/s; expected 400 GB/s)"));
  EXPECT_THAT(once.measure_again, ElementsAre(ElementsAre("a", "b")));
  const FabricJudgement twice = pairs.add({"a", "b"}, .6).judge();
  ASSERT_THAT(twice.findings, SizeIs(1));
  EXPECT_EQ(twice.findings[0].fault, FabricFault::slow_path);
  EXPECT_THAT(twice.findings[0].sentence,
              HasSubstr("slow each time (200 GB/s, 240 GB/s; expected 400 GB/s)"));
  EXPECT_THAT(twice.findings[0].sentence, HasSubstr("it cannot be told whether one of them or the path"));
  EXPECT_THAT(twice.measure_again, IsEmpty());
  const FabricJudgement well = pairs.add({"a", "b"}, 1).judge();
  EXPECT_THAT(well.findings, IsEmpty());
  EXPECT_THAT(well.remarks, ElementsAre(HasSubstr("a and b were slow once and fast when measured again")));
}

TEST(Fabric, EverythingSlowShowsOnlyAgainstAnExpectedValue) {
  std::map<std::string, double> slow;
  for (int i = 0; i < 6; ++i) slow[fmt::format("n{}", i)] = .4;
  Pairs pairs = every_pair(6, slow);
  EXPECT_THAT(pairs.judge().findings, IsEmpty());
  pairs.input.expected = full;
  const FabricJudgement judged = pairs.judge();
  ASSERT_THAT(judged.findings, SizeIs(1));
  EXPECT_EQ(judged.findings[0].fault, FabricFault::everything);
  EXPECT_THAT(judged.findings[0].nodes, SizeIs(6));
  EXPECT_EQ(judged.nodes[0].state, "slow");
}

TEST(Fabric, EverythingIsOnlyWhatWasCompared) {
  Pairs pairs;
  pairs.add({"a", "b"}, .5).fail({"a", "b", "c"}, "no GPU");
  pairs.input.expected = full;
  const FabricJudgement judged = pairs.judge();
  ASSERT_THAT(judged.findings, SizeIs(1));
  EXPECT_EQ(judged.findings[0].fault, FabricFault::everything);
  EXPECT_THAT(judged.findings[0].nodes, ElementsAre("a", "b")) << "c was in no pair";
  EXPECT_EQ(judged.nodes[2].state, "not judged");
}

TEST(Fabric, AChangeThatNoNumberHoldsIsLeftOut) {
  for (const result::Direction better : {result::Direction::lower, result::Direction::higher}) {
    Pairs pairs = every_pair(3, {});
    pairs.input.better = better;
    for (std::size_t i = 0; i < 3; ++i) pairs.input.measurements[i].value = i == 1 ? 1e300 : 1e-300;
    for (const double expected : {1e-300, 1e300}) {
      pairs.input.expected = expected;
      const FabricJudgement judged = pairs.judge();
      for (const FabricSet& set : judged.sets) EXPECT_TRUE(!set.change || std::isfinite(*set.change));
      for (const FabricFinding& found : judged.findings)
        EXPECT_TRUE(!found.change || std::isfinite(*found.change));
    }
  }
}

TEST(Fabric, ANodeThatNeverComesFails) {
  Pairs pairs = every_pair(4, {});
  for (const char* node : {"n0", "n1", "n2"}) pairs.fail({"dead", node}, "rank 1 of 2 did not come (dead)");
  const FabricJudgement judged = pairs.judge();
  ASSERT_THAT(judged.findings, SizeIs(1));
  EXPECT_EQ(judged.findings[0].fault, FabricFault::failed_node);
  EXPECT_FALSE(judged.findings[0].change);
  EXPECT_THAT(judged.findings[0].sentence,
              HasSubstr("fails with every partner (n0 failed (rank 1 of 2 did not "
                        "come (dead))"));
  const FabricJudgement none = Pairs().fail({"a", "b"}, "no GPU").fail({"b", "c"}, "no GPU").judge();
  EXPECT_FALSE(none.judged);
  EXPECT_THAT(none.remarks, ElementsAre(HasSubstr("no pair could be measured; a and b: no GPU")));
}

TEST(Fabric, LatenciesAreJudgedTheOtherWayRound) {
  Pairs pairs;
  pairs.input.unit = "second";
  pairs.input.better = result::Direction::lower;
  const std::vector<std::pair<std::string, std::string>> all{
      {"a", "b"}, {"a", "c"}, {"b", "c"}, {"a", "d"}, {"b", "d"}};
  for (const auto& [one, other] : all)
    pairs.input.measurements.push_back({{one, other}, 0, other == "d" ? 30e-6 : 10e-6, ""});
  const FabricJudgement judged = pairs.judge();
  ASSERT_THAT(judged.findings, SizeIs(1));
  EXPECT_THAT(judged.findings[0].nodes, ElementsAre("d"));
  EXPECT_NEAR(*judged.findings[0].change, 2, 1e-9) << "three times the latency";
  EXPECT_THAT(judged.findings[0].sentence, HasSubstr("a 30 us, b 30 us"));
}

/// Disjoint pairs by the circle method, as a search measures them: `waves` partners for each node.
Pairs some_pairs(int nodes, int waves, const std::map<std::string, double>& slow, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Pairs out;
  std::vector<int> order(static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), engine);
  for (int wave = 0; wave < waves; ++wave) {
    for (std::size_t i = 0; i < order.size() / 2; ++i) {
      std::vector<std::string> pair{fmt::format("n{:03}", order[i]),
                                    fmt::format("n{:03}", order[order.size() - 1 - i])};
      std::sort(pair.begin(), pair.end());
      double share = std::exp(.02 * normal(engine));
      for (const std::string& node : pair)
        if (slow.contains(node)) share *= slow.at(node);
      out.add(pair, share);
    }
    std::rotate(order.begin() + 1, order.end() - 1, order.end());
  }
  return out;
}

TEST(Fabric, AHealthyFabricHasNoFindingInAnyOf500Seeds) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const FabricJudgement judged = some_pairs(4 + 2 * static_cast<int>(seed % 40), 3, {}, seed).judge();
    EXPECT_TRUE(judged.judged);
    EXPECT_THAT(judged.findings, IsEmpty()) << seed;
  }
}

TEST(Fabric, OneSlowNodeOf64IsTheOneNamedInEachOf200Seeds) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string guilty = fmt::format("n{:03}", seed * 7 % 64);
    const FabricJudgement judged = some_pairs(64, 3, {{guilty, .8}}, seed).judge();
    ASSERT_THAT(judged.findings, SizeIs(1)) << seed;
    EXPECT_EQ(judged.findings[0].fault, FabricFault::slow_node) << seed;
    EXPECT_THAT(judged.findings[0].nodes, ElementsAre(guilty)) << seed;
  }
}

TEST(Fabric, ThousandsOfNodesThatAreNotToldAreAskedForEvenly) {
  constexpr int nodes = 12000;
  Pairs pairs;
  for (int i = 0; i < nodes; i += 2)
    pairs.add({fmt::format("n{:05}", i), fmt::format("n{:05}", i + 1)}, i % 4 == 0 ? 1 : .5);
  const FabricJudgement judged = pairs.judge();
  EXPECT_THAT(judged.findings, SizeIs(nodes / 2)) << "each node of a slow pair";
  EXPECT_EQ(judged.nodes[0].state, "fine");
  EXPECT_EQ(judged.nodes[2].state, "undecided");
  ASSERT_THAT(judged.measure_again, SizeIs(nodes));
  std::map<std::string, int> asked;
  for (const std::vector<std::string>& pair : judged.measure_again)
    for (const std::string& node : pair) ++asked[node];
  for (const auto& [node, times] : asked) EXPECT_EQ(times, 2) << node << ": the asking is spread evenly";
}

TEST(Fabric, RefusesAToleranceThatIsNone) {
  Pairs pairs = every_pair(3, {});
  pairs.input.tolerance = 1;
  EXPECT_THROW(pairs.judge(), std::invalid_argument);
}

TEST(Fabric, ListsNodesForSentences) {
  EXPECT_EQ(joined({"a"}), "a");
  EXPECT_EQ(joined({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(joined({"a", "b", "c", "d", "e"}), "a and 4 more");
}

}  // namespace
}  // namespace gpugauge::judge
