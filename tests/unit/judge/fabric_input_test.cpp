// From sample files of ranks, and from lists of measurements, to sets of nodes.
#include "judge/fabric_input.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/error.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

result::Samples samples(int rank, int size, const std::string& nodes, double busbw) {
  result::Samples out;
  out.family = "nccl";
  out.source_hash = "aa";
  out.context = {
      {"ranks.rank", std::to_string(rank)}, {"ranks.size", std::to_string(size)}, {"gpu.name", "Synthetic"},
      {"nccl.version", "2.27.7"},           {"cuda.driver_version", "13.0"},      {"ranks.nodes", nodes}};
  result::BenchmarkResult benchmark;
  benchmark.id = "nccl/all_reduce/256MiB";
  for (const char* name : {"algbw", "busbw"}) {
    result::Metric metric;
    metric.name = name;
    metric.unit = "byte/second";
    metric.metric_class = "coll_large";
    metric.statistic = "median";
    metric.value = busbw;
    metric.judged = std::string(name) == "busbw";
    metric.note = "recorded";
    benchmark.metrics.push_back(metric);
  }
  benchmark.verifications = {{"elements that differ", true, 0.0, 0.0}};
  out.benchmarks = {benchmark};
  return out;
}

TEST(FabricInput, TheRanksOfACollectiveAreOneMeasurement) {
  FabricCollector collector;
  for (int rank = 3; rank >= 0; --rank)
    collector.add(samples(rank, 4, "node2 node1 node2", 1e11), fmt::format("out/1/s.rank{}.json", rank), "1");
  collector.add(samples(0, 4, "node1 node3", 2e11), "out/2/s.rank0.json", "2");
  const FabricInputs made = std::move(collector).made();
  ASSERT_THAT(made.fabrics, SizeIs(1)) << "what is not judged is no fabric";
  const FabricInput& fabric = made.fabrics[0];
  EXPECT_EQ(fabric.metric, "nccl/all_reduce/256MiB:busbw");
  EXPECT_EQ(fabric.unit, "byte/second");
  EXPECT_EQ(fabric.description, "Synthetic, NCCL 2.27.7, driver's CUDA 13.0");
  ASSERT_THAT(fabric.measurements, SizeIs(2));
  EXPECT_THAT(fabric.measurements[0].nodes, ElementsAre("node1", "node2"));
  EXPECT_EQ(fabric.measurements[0].ranks, 4);
  EXPECT_EQ(fabric.measurements[0].value, 1e11);
  EXPECT_THAT(fabric.measurements[1].nodes, ElementsAre("node1", "node3"));
  EXPECT_THAT(made.unread, IsEmpty());
  EXPECT_THAT(
      made.remarks,
      ElementsAre("Of 1 collective between nodes not every rank's file is here (2: 1 of 4): whether a "
                  "rank whose file is lacking failed is not known."));
}

TEST(FabricInput, TheRanksOfACollectiveThatLieApartByNodeAreOneMeasurement) {
  FabricCollector collector;
  for (const auto& [set, value] : {std::pair{"1-2", 1e11}, std::pair{"again", 4e11}})
    for (int rank = 0; rank < 4; ++rank)
      collector.add(samples(rank, 4, "node1 node2", value),
                    fmt::format("out/node{}/{}/s.rank{}.json", 1 + rank / 2, set, rank), set);
  const FabricInputs made = std::move(collector).made();
  ASSERT_THAT(made.fabrics, SizeIs(1));
  ASSERT_THAT(made.fabrics[0].measurements, SizeIs(2));
  EXPECT_EQ(made.fabrics[0].measurements[0].value, 1e11);
  EXPECT_EQ(made.fabrics[0].measurements[1].value, 4e11);
  EXPECT_THAT(made.remarks, IsEmpty());
}

TEST(FabricInput, FilesOfOtherNamesOrOfARankTwiceAreMeasurementsOfTheirOwn) {
  FabricCollector collector;
  collector.add(samples(0, 2, "node1 node2", 1e11), "node1/job-1.rank0.json", "1");
  collector.add(samples(1, 2, "node1 node2", 2e11), "node2/job-2.rank1.json", "2");
  collector.add(samples(0, 2, "node1 node2", 3e11), "node1/again/job-1.rank0.json", "3");
  const FabricInputs made = std::move(collector).made();
  ASSERT_THAT(made.fabrics, SizeIs(1));
  EXPECT_THAT(made.fabrics[0].measurements, SizeIs(3));
}

TEST(FabricInput, RanksWhoseFilesAreNamedAfterTheirNodeAreOneMeasurementWhereTheirValuesAreTheSame) {
  FabricCollector collector;
  collector.add(samples(0, 4, "node1 node2", 1e11), "out/node1-s.rank0.json", "1");
  collector.add(samples(2, 4, "node1 node2", 1e11), "out/node2-s.rank2.json", "1");
  collector.add(samples(3, 4, "node1 node2", 2e11), "out/node3-s.rank3.json", "2");
  const FabricInputs made = std::move(collector).made();
  ASSERT_THAT(made.fabrics, SizeIs(1));
  ASSERT_THAT(made.fabrics[0].measurements, SizeIs(2));
  EXPECT_EQ(made.fabrics[0].measurements[0].value, 1e11);
  EXPECT_EQ(made.fabrics[0].measurements[1].value, 2e11);
  EXPECT_THAT(made.remarks, ElementsAre(HasSubstr("(1: 2 of 4, 2: 1 of 4)")));
}

TEST(FabricInput, ANodeThatCouldNotMeasureFailsTheSetAlsoWhereItsFilesLieApart) {
  FabricCollector collector;
  collector.add(samples(0, 2, "a b", 1e11), "a/1.rank0.json", "a");
  result::Samples broken = samples(1, 2, "a b", 1e11);
  broken.status = result::Status::unavailable;
  broken.reason = "rank 1 cannot take part";
  broken.benchmarks.clear();
  broken.context.erase("gpu.name");
  collector.add(broken, "b/1.rank1.json", "b");
  collector.add(samples(0, 2, "a c", 1e11), "a/2.rank0.json", "a");
  const FabricInputs made = std::move(collector).made();
  ASSERT_THAT(made.fabrics, SizeIs(1));
  ASSERT_THAT(made.fabrics[0].measurements, SizeIs(2));
  const auto failed = std::find_if(made.fabrics[0].measurements.begin(), made.fabrics[0].measurements.end(),
                                   [](const SetMeasurement& set) { return !set.value; });
  ASSERT_NE(failed, made.fabrics[0].measurements.end());
  EXPECT_THAT(failed->nodes, ElementsAre("a", "b"));
}

TEST(FabricInput, OneFileUnderTwoNamesIsOneMeasurement) {
  FabricCollector collector;
  for (const char* file : {"out/1/s.rank0.json", "./out/1/s.rank0.json", "out/2/../1/s.rank0.json"})
    collector.add(samples(0, 2, "node1 node2", 1e11), file, "1");
  const FabricInputs made = std::move(collector).made();
  ASSERT_THAT(made.fabrics, SizeIs(1));
  EXPECT_THAT(made.fabrics[0].measurements, SizeIs(1));
}

TEST(FabricInput, ARankThatCouldNotMeasureFailsTheWholeSet) {
  FabricCollector collector;
  collector.add(samples(0, 2, "a b", 1e11), "1.rank0.json", "1");
  collector.add(samples(0, 2, "a c", 1e11), "2.rank0.json", "2");
  result::Samples broken = samples(1, 2, "a c", 1e11);
  broken.status = result::Status::unavailable;
  broken.reason = "rank 1 cannot take part";
  broken.benchmarks.clear();
  collector.add(broken, "2.rank1.json", "2");
  const FabricInputs made = std::move(collector).made();
  ASSERT_THAT(made.fabrics, SizeIs(1));
  ASSERT_THAT(made.fabrics[0].measurements, SizeIs(2));
  EXPECT_FALSE(made.fabrics[0].measurements[1].value);
  EXPECT_EQ(made.fabrics[0].measurements[1].reason, "rank 1 cannot take part");
}

TEST(FabricInput, AWrongResultIsAFailureAndNoBandwidth) {
  FabricCollector collector;
  collector.add(samples(0, 2, "a b", 1e11), "1.rank0.json", "1");
  result::Samples wrong = samples(0, 2, "a c", 1e11);
  wrong.benchmarks[0].verifications = {{"elements that differ", false, 7.0, 0.0}};
  collector.add(wrong, "2.rank0.json", "2");
  result::Samples died = samples(0, 2, "b c", 1e11);
  died.benchmarks[0].status = result::Status::failed;
  died.benchmarks[0].reason = "a collective did not end";
  died.benchmarks[0].metrics.clear();
  collector.add(died, "3.rank0.json", "3");
  const FabricInputs made = std::move(collector).made();
  ASSERT_THAT(made.fabrics, SizeIs(1));
  ASSERT_THAT(made.fabrics[0].measurements, SizeIs(3));
  EXPECT_THAT(made.fabrics[0].measurements[1].reason, HasSubstr("the result is wrong"));
  EXPECT_EQ(made.fabrics[0].measurements[2].reason, "a collective did not end");
}

TEST(FabricInput, AFailureCountsAmongItsOwnKindAlone) {
  FabricCollector collector;
  const auto add = [&](const std::string& gpu, const std::string& nodes, int number, bool fails) {
    result::Samples one = samples(0, 2, nodes, 1e11);
    one.context["gpu.name"] = gpu;
    if (fails) {
      one.status = result::Status::failed;
      one.reason = "a collective did not end";
      one.benchmarks.clear();
    }
    collector.add(one, fmt::format("{}.rank0.json", number), fmt::format("{}", number));
  };
  add("Old", "a b", 1, false);
  add("New", "c d", 2, false);
  add("New", "c e", 3, true);
  add("", "f g", 4, true);
  const FabricInputs made = std::move(collector).made();
  ASSERT_THAT(made.fabrics, SizeIs(2));
  for (const FabricInput& fabric : made.fabrics) {
    std::vector<std::string> failed;
    for (const SetMeasurement& set : fabric.measurements)
      if (!set.value) failed.push_back(fmt::format("{}", fmt::join(set.nodes, " ")));
    if (fabric.description.starts_with("New"))
      EXPECT_THAT(failed, ElementsAre("c e", "f g"));
    else
      EXPECT_THAT(failed, ElementsAre("f g")) << "what does not know its kind may be of any";
  }
}

TEST(FabricInput, WhatCannotBePlacedIsSaid) {
  FabricCollector collector;
  collector.add(samples(0, 2, "a", 1e11), "one.rank0.json", "one");
  result::Samples parted = samples(0, 2, "", 1e11);
  parted.status = result::Status::unavailable;
  parted.reason = "rank 1 of 2 did not come within 60 s";
  parted.benchmarks.clear();
  collector.add(parted, "two.rank0.json", "two");
  result::Samples newer = samples(0, 2, "a b", 1e11);
  newer.context["nccl.version"] = "2.28.3";
  collector.add(newer, "3.rank0.json", "3");
  collector.add(samples(0, 2, "a b", 1e11), "4.rank0.json", "4");
  const FabricInputs made = std::move(collector).made();
  EXPECT_THAT(made.fabrics, SizeIs(2)) << "another NCCL is another kind";
  ASSERT_THAT(made.unread, SizeIs(1));
  EXPECT_EQ(made.unread[0].file, "two.rank0.json");
  EXPECT_THAT(made.unread[0].reason, HasSubstr("rank 1 of 2 did not come"));
  ASSERT_THAT(made.remarks, SizeIs(3));
  EXPECT_THAT(made.remarks[0], HasSubstr("2 different builds"));
  EXPECT_THAT(made.remarks[1], HasSubstr("Of 2 collectives between nodes not every rank's file is here"));
  EXPECT_THAT(made.remarks[2], HasSubstr("1 collective within one node"));
}

/// Every pair of four nodes, a rank on each; pairs with node3 are slow. Its ranks say `there`, all others
/// InfiniBand.
FabricInput third_of_four(const result::Facts& there, bool node_is_told = true) {
  FabricCollector collector;
  for (int one = 1; one <= 4; ++one)
    for (int other = one + 1; other <= 4; ++other)
      for (const int rank : {0, 1}) {
        const int node = rank == 0 ? one : other;
        const bool slow = one == 3 || other == 3;
        result::Samples made = samples(rank, 2, fmt::format("node{} node{}", one, other), slow ? 1e11 : 4e11);
        if (node_is_told) made.context["ranks.node"] = fmt::format("node{}", node);
        made.benchmarks[0].notes = node == 3
                                       ? there
                                       : result::Facts{{"nccl.transport", "ib"},
                                                       {"nccl.network", "IB"},
                                                       {"nccl.paths", "NET/IB/GDRDMA x 4, P2P/CUMEM x 2"},
                                                       {"nccl.reasons", "said by all"}};
        collector.add(made, fmt::format("{}-{}/s.rank{}.json", one, other, rank), "x");
      }
  return std::move(collector).made().fabrics.at(0);
}

TEST(FabricInput, WhatNcclSaidOnASlowNodeStandsBesideTheOthers) {
  const result::Facts sockets{{"nccl.transport", "socket"},
                              {"nccl.network", "Socket"},
                              {"nccl.paths", "NET/Socket x 4, P2P/CUMEM x 2"},
                              {"nccl.warnings", "NET/IB : No IP interface found. | second"},
                              {"nccl.reasons", "Failed to open libibverbs.so[.1] | said by all"}};
  const FabricJudgement judged = judge_fabric(third_of_four(sockets));
  ASSERT_THAT(judged.findings, SizeIs(1));
  EXPECT_EQ(judged.findings[0].fault, FabricFault::slow_node);
  EXPECT_THAT(
      judged.findings[0].sentence,
      testing::EndsWith("; NCCL's log there: transport socket, network Socket, paths NET/Socket, warnings: "
                        "NET/IB : No IP interface found., second, it says: Failed to open "
                        "libibverbs.so[.1]; elsewhere: transport ib, network IB, paths NET/IB/GDRDMA"));
  EXPECT_EQ(judged.nodes[2].ways, (NodeWays{{"socket"},
                                            {"Socket"},
                                            {"NET/Socket"},
                                            {"NET/IB : No IP interface found.", "second"},
                                            {"Failed to open libibverbs.so[.1]", "said by all"}}));
  EXPECT_EQ(judged.nodes[0].ways, (NodeWays{{"ib"}, {"IB"}, {"NET/IB/GDRDMA"}, {}, {"said by all"}}));
}

TEST(FabricInput, WhereNoLogIsKnownASlowNodeIsNamedWithoutIt) {
  const FabricJudgement silent = judge_fabric(third_of_four({}));
  EXPECT_THAT(silent.findings.at(0).sentence, testing::Not(HasSubstr("NCCL's log")));
  const FabricJudgement older = judge_fabric(third_of_four({{"nccl.transport", "socket"}}, false));
  EXPECT_THAT(older.findings.at(0).sentence, testing::Not(HasSubstr("NCCL's log")));
}

TEST(FabricInput, OnlyRanksOfSeveralAreOfAFabric) {
  EXPECT_TRUE(is_of_ranks(samples(0, 2, "a b", 1)));
  EXPECT_FALSE(is_of_ranks(samples(0, 1, "a", 1)));
  EXPECT_FALSE(is_of_ranks({}));
}

std::string list(const std::string& measurements, const std::string& more = "") {
  return R"({"schema": "gpugauge.fabric/1", "benchmark": "nccl/x", "metric": "busbw", "unit": "byte/second",
             "better": "higher", "class": "coll_large", )" +
         more + R"("measurements": [)" + measurements + "]}";
}

TEST(FabricInput, ReadsAListOfMeasurements) {
  const FabricInput read = parse_fabric(
      list(R"({"nodes": ["b", "a"], "value": 1e11}, {"nodes": ["a", "c"], "ranks": 16, "reason": "no GPU"})",
           R"("expected": 2e11, "tolerance": 0.2, )"),
      "x");
  EXPECT_EQ(read.metric, "nccl/x:busbw");
  EXPECT_EQ(read.expected, 2e11);
  EXPECT_EQ(read.tolerance, .2);
  ASSERT_THAT(read.measurements, SizeIs(2));
  EXPECT_THAT(read.measurements[0].nodes, ElementsAre("a", "b"));
  EXPECT_EQ(read.measurements[1].ranks, 16);
  EXPECT_EQ(read.measurements[1].reason, "no GPU");
}

TEST(FabricInput, RefusesAListThatIsNone) {
  const auto sentence = [](const std::string& text) -> std::string {
    try {
      parse_fabric(text, "x");
    } catch (const result::FormatError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(sentence(list("")), "accepted");
  EXPECT_THAT(sentence("{"), HasSubstr("x"));
  EXPECT_THAT(sentence(list(R"({"nodes": ["a"], "value": 1})")), HasSubstr("two nodes or more"));
  EXPECT_THAT(sentence(list(R"({"nodes": ["a", "a"], "value": 1})")), HasSubstr("each once"));
  EXPECT_THAT(sentence(list(R"({"nodes": ["a", ""], "value": 1})")), HasSubstr("two nodes or more"));
  for (const char* const name : {"rack 1", " ", "b ", R"(b\tc)", R"(b\n)"})
    EXPECT_THAT(sentence(list(fmt::format(R"({{"nodes": ["a", "{}"], "value": 1}})", name))),
                HasSubstr("the name of a node has no blanks"))
        << name;
  EXPECT_THAT(sentence(list(R"({"nodes": ["a", "rack 1"], "value": 1})")), HasSubstr("names 'rack 1'"));
  EXPECT_THAT(sentence(list(R"({"nodes": ["a", "b"], "value": 0})")), HasSubstr("must be above 0"));
  EXPECT_THAT(sentence(list(R"({"nodes": ["a", "b"]})")), HasSubstr("neither a value nor a reason"));
  EXPECT_THAT(sentence(list("", R"("tolerance": 1, )")), HasSubstr("below 1"));
  EXPECT_THAT(sentence(list("", R"("expected": -1, )")), HasSubstr("above 0"));
  EXPECT_THAT(sentence(list("", R"("surprise": 1, )")), HasSubstr("surprise"));
}

}  // namespace
}  // namespace gpugauge::judge
