#include "judge/checksums.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge_peers.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string gemm = "integrity/gemm/short";

/// A run of a GPU whose processes noted these checksums.
result::Run noted(int gpu, std::uint64_t round, const std::vector<std::string>& checksums) {
  result::Run run =
      make_run(static_cast<std::uint64_t>(gpu) + 1000 * round, {}, static_cast<int>(checksums.size()));
  run.device = fmt::format("GPU-{:02}", gpu);
  tell_health(run, "remap_failed", 0);
  for (std::size_t p = 0; p < checksums.size(); ++p) {
    result::BenchmarkResult one =
        benchmark(gemm, metric("repeats", "1", result::Direction::higher, "integrity", 3));
    one.metrics.front().judged = false;
    one.metrics.front().note = "recorded";
    one.notes = {{"checksum", checksums[p]}, {"timer", "none"}};
    run.processes[p].samples->benchmarks.push_back(std::move(one));
  }
  return run;
}

class Gpus {
 public:
  void add(int gpu, const std::vector<std::string>& checksums, std::uint64_t round = 0,
           const std::string& driver = "580.65", const std::string& sources = "") {
    result::Run run = noted(gpu, round, checksums);
    run.fingerprint.stack["driver.version"] = driver;
    if (!sources.empty()) run.fingerprint.suite["suite.source_hash.integrity"] = sources;
    input_.rounds.push_back(
        collector_.reduce(run, fmt::format("{}-{}", gpu, round), fmt::format("n{:02}", gpu)));
  }
  PeersJudgement judge(bool strict = false) {
    input_.metrics = collector_.metrics();
    return judge_peers(input_, {}, strict);
  }

 private:
  PeerCollector collector_;
  PeersInput input_;
};

const NodeJudgement& of(const PeersJudgement& judgement, const std::string& label) {
  for (const NodeJudgement& node : judgement.nodes)
    if (node.label == label) return node;
  throw std::runtime_error("no node " + label);
}

TEST(Checksums, AreTakenOfTheFamilyIntegrityAlone) {
  result::Run run = noted(1, 0, {"bb", "aa", "bb"});
  run.processes[0].samples->benchmarks.front().notes["checksum"] = "cc";
  EXPECT_EQ(checksums_of(run), (Checksums{{gemm, {"aa", "bb"}}}));
  change(run, gemm, [](result::BenchmarkResult& one) { one.status = result::Status::failed; });
  EXPECT_THAT(checksums_of(run), IsEmpty());
}

TEST(Checksums, ProcessesOfOneGpuThatDisagreeFailItsCheck) {
  EXPECT_THAT(judge_checksums(checksums_of(noted(1, 0, {"aa", "aa"}))), IsEmpty());
  const std::vector<Verdict> verdicts = judge_physical(noted(1, 0, {"aa", "ab", "aa"}));
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
    return verdict.metric == gemm + ":checksum";
  });
  ASSERT_NE(found, verdicts.end());
  EXPECT_EQ(found->kind, VerdictKind::failed);
  EXPECT_EQ(found->judge, Judge::physical);
  EXPECT_THAT(found->reason, HasSubstr("the checksums of its processes disagree: aa, ab"));
}

TEST(Checksums, AMinorityIsASuspectUntilItsSecondRun) {
  Gpus gpus;
  for (int gpu = 0; gpu < 9; ++gpu) gpus.add(gpu, {gpu == 4 ? "bad" : "good"});
  const PeersJudgement once = gpus.judge();
  EXPECT_EQ(once.outcome.code, ExitCode::pass);
  EXPECT_EQ(gpus.judge(true).outcome.code, ExitCode::inconclusive);
  const NodeJudgement& suspect = of(once, "n04");
  EXPECT_EQ(suspect.state, NodeState::suspect);
  EXPECT_TRUE(suspect.measure_again);
  ASSERT_THAT(suspect.verdicts, SizeIs(1));
  EXPECT_EQ(suspect.verdicts[0].metric, gemm + ":checksum");
  EXPECT_EQ(suspect.verdicts[0].metric_class, "integrity");
  EXPECT_THAT(suspect.verdicts[0].reason,
              HasSubstr("the checksum is bad, and good on 8 of 9 GPUs of its kind: silent corruption"));
  EXPECT_EQ(of(once, "n03").state, NodeState::healthy);
  EXPECT_THAT(once.remarks, ElementsAre(HasSubstr("Checksums: 0 of 1 benchmarks are the same")));

  gpus.add(4, {"bad"}, 1);
  const PeersJudgement twice = gpus.judge();
  EXPECT_EQ(twice.outcome.code, ExitCode::regressed);
  EXPECT_EQ(of(twice, "n04").state, NodeState::found);
  EXPECT_THAT(of(twice, "n04").verdicts[0].reason, HasSubstr("in each of 2 runs"));
}

TEST(Checksums, ASecondRunThatIsRightClearsNobody) {
  Gpus gpus;
  for (int gpu = 0; gpu < 9; ++gpu) gpus.add(gpu, {gpu == 4 ? "bad" : "good"});
  gpus.add(4, {"good"}, 1);
  const PeersJudgement judged = gpus.judge();
  EXPECT_EQ(of(judged, "n04").state, NodeState::found);
  EXPECT_THAT(of(judged, "n04").verdicts[0].reason,
              HasSubstr("the checksums of its runs disagree: bad, good"));
  for (const NodeJudgement& node : judged.nodes)
    EXPECT_EQ(node.state == NodeState::healthy, node.label != "n04") << node.label;
}

TEST(Checksums, ASplitWithoutAMajorityIsInconclusive) {
  Gpus gpus;
  for (int gpu = 0; gpu < 8; ++gpu) gpus.add(gpu, {gpu % 2 == 0 ? "even" : "odd"});
  const PeersJudgement judged = gpus.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::pass);
  EXPECT_EQ(gpus.judge(true).outcome.code, ExitCode::inconclusive);
  EXPECT_THAT(judged.remarks,
              ElementsAre(HasSubstr("0 of 1"), HasSubstr("none has a majority (even on 4, odd on 4)")));
  for (const NodeJudgement& node : judged.nodes) {
    EXPECT_EQ(node.state, NodeState::suspect);
    EXPECT_TRUE(node.measure_again);
    EXPECT_EQ(node.verdicts.at(0).kind, VerdictKind::inconclusive);
  }
}

TEST(Checksums, WhatNoFurtherRunDecidesIsNotToBeMeasuredAgain) {
  Gpus gpus;
  for (const std::uint64_t round : {0, 1})
    for (int gpu = 0; gpu < 8; ++gpu) gpus.add(gpu, {gpu % 2 == 0 ? "even" : "odd"}, round);
  const PeersJudgement judged = gpus.judge();
  EXPECT_THAT(judged.outcome.sentence, HasSubstr("8 in doubt (n00, "));
  EXPECT_FALSE(judged.nodes.at(0).measure_again);
}

TEST(Checksums, FewGpusAreEnoughAndTwoThatDifferHaveNoMajority) {
  Gpus three;
  for (int gpu = 0; gpu < 3; ++gpu) three.add(gpu, {gpu == 2 ? "bad" : "good"});
  const PeersJudgement judged = three.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::cannot_judge) << "their speeds have too few peers";
  EXPECT_TRUE(of(judged, "n02").measure_again);
  EXPECT_THAT(of(judged, "n02").verdicts, SizeIs(1));
  EXPECT_THAT(of(judged, "n00").verdicts, IsEmpty());
  three.add(2, {"bad"}, 1);
  EXPECT_EQ(three.judge().outcome.code, ExitCode::regressed);
  Gpus two;
  two.add(0, {"a"});
  two.add(1, {"b"});
  EXPECT_THAT(of(two.judge(), "n00").verdicts.at(0).reason, HasSubstr("it cannot be told which"));
}

TEST(Checksums, OtherDriversAreNotComparedAndThisIsSaid) {
  Gpus gpus;
  for (int gpu = 0; gpu < 8; ++gpu) gpus.add(gpu, {"good"});
  gpus.add(8, {"other"}, 0, "575.57");
  const PeersJudgement judged = gpus.judge();
  EXPECT_THAT(of(judged, "n08").verdicts, IsEmpty());
  EXPECT_THAT(
      judged.remarks,
      ElementsAre(HasSubstr("Checksums: 1 of 1 benchmarks are the same bit for bit on 8 GPUs"),
                  HasSubstr("one GPU alone has them"), HasSubstr("within each kind, not between kinds")));
}

TEST(Checksums, RunsOfAnotherBuildAreNoSilentCorruption) {
  Gpus gpus;
  for (int gpu = 0; gpu < 8; ++gpu) {
    gpus.add(gpu, {"old"}, 0, "580.65", "aa");
    if (gpu < 3) gpus.add(gpu, {"new"}, 1, "580.65", "bb");
  }
  const PeersJudgement judged = gpus.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::cannot_judge) << "what nobody else measured is no pass";
  for (const NodeJudgement& node : judged.nodes) EXPECT_THAT(node.verdicts, IsEmpty()) << node.label;
  EXPECT_THAT(judged.remarks, ElementsAre(HasSubstr("3 runs (n00, n01, n02) were not judged"),
                                          HasSubstr("1 of 1 benchmarks are the same bit for bit on 8 GPUs"),
                                          HasSubstr("1 of 1 benchmarks are the same bit for bit on 3 GPUs"),
                                          HasSubstr("within each kind, not between kinds")));
  gpus.add(7, {"one", "two"}, 1, "580.65", "bb");
  EXPECT_THAT(of(gpus.judge(), "n07").verdicts.at(0).reason,
              HasSubstr("the checksums of its processes disagree: one, two"))
      << "processes of one build are held against each other all the same";
}

TEST(Checksums, ALaterRunUnderAnotherDriverIsNoSilentCorruption) {
  Gpus gpus;
  for (int gpu = 0; gpu < 8; ++gpu) gpus.add(gpu, {"good"});
  gpus.add(5, {"other"}, 1, "590.10");
  const PeersJudgement judged = gpus.judge();
  EXPECT_THAT(of(judged, "n05").verdicts, IsEmpty());
  EXPECT_THAT(judged.remarks,
              ElementsAre(HasSubstr("1 run (n05) was not judged"), HasSubstr("on 8 GPUs"),
                          HasSubstr("one GPU alone has them"), HasSubstr("not between kinds")));
}

TEST(Checksums, NobodyWithoutChecksumsHearsOfThem) {
  Gpus gpus;
  for (int gpu = 0; gpu < 8; ++gpu) gpus.add(gpu, {});
  EXPECT_THAT(gpus.judge().remarks, IsEmpty());
}

}  // namespace
}  // namespace gpugauge::judge
