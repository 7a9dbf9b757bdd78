// Who else used the GPU may explain that it seems slow, and nothing that is wrong or impossible.
#include "judge/neighbours.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "one_gpu.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;

/// The GPU with this many other processes before each of its rounds.
result::Run beside(const OneGpu& gpu, std::vector<double> others, const std::string& uuid = "GPU-0") {
  result::Run run = gpu.run();
  run.telemetry.push_back(
      {"gpu:" + uuid, "processes_before", "1", std::vector<double>(others.size(), .1), std::move(others)});
  return run;
}

Verdict of_read(const result::Run& run) {
  for (Verdict& verdict : judge_physical(run))
    if (verdict.metric == "gpu/read:bandwidth") return verdict;
  throw std::runtime_error("no verdict");
}

TEST(Neighbours, AFloorThatIsMissedBesideOthersIsInDoubtAndCounted) {
  const OneGpu halved{.hbm = 2.2e12};
  EXPECT_EQ(of_read(halved.run()).kind, VerdictKind::failed) << "not known";
  EXPECT_EQ(of_read(beside(halved, {0})).kind, VerdictKind::failed) << "none";
  EXPECT_EQ(of_read(beside(halved, {2}, "GPU-1")).kind, VerdictKind::failed) << "on another GPU";
  const Verdict found = of_read(beside(halved, {0, 2}));
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_FALSE(found.may_be_meant);
  EXPECT_THAT(found.reason, HasSubstr("a healthy machine reaches at least 60%"));
  EXPECT_THAT(found.reason, HasSubstr("; 2 other processes used the GPU before the measuring began, and may "
                                      "have taken a part of it: measure again when it is free"));
  EXPECT_EQ(of_read(beside({}, {2})).kind, VerdictKind::ok);
}

TEST(Neighbours, ExcuseNothingThatIsImpossibleOrWrong) {
  EXPECT_EQ(of_read(beside({.hbm = 6e12}, {1})).kind, VerdictKind::failed) << "122% of the bus";
  result::Run wrong = beside({}, {1});
  change(wrong, "gpu/read", [](result::BenchmarkResult& found) { found.verifications[0].passed = false; });
  const std::vector<Verdict> verdicts = judge_physical(wrong);
  EXPECT_TRUE(std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
    return verdict.metric == "gpu/read" && verdict.kind == VerdictKind::failed;
  }));
}

result::Run at_work(double utilization) {
  result::Run run = OneGpu{}.run();
  run.telemetry.push_back({"gpu:GPU-0", "utilization_before", "1", {.1}, {utilization}});
  return run;
}

std::vector<Verdict> regressions() {
  std::vector<Verdict> out(3);
  for (Verdict& verdict : out) {
    verdict.kind = VerdictKind::regressed;
    verdict.change = .05;
    verdict.interval = .01;
    verdict.tolerance = .03;
  }
  out[0].metric = "gpu/read:bandwidth";
  out[0].metric_class = "hbm";
  out[1].metric = "host/triad:bandwidth";
  out[1].metric_class = "host_memory";
  out[2] = out[0];
  out[2].metric = "gpu/copy:bandwidth";
  out[2].advisory = true;
  return out;
}

TEST(Neighbours, ARegressionIsConfirmedOnAFreeGpuOnly) {
  std::vector<Verdict> verdicts = regressions();
  allow_for_busy_neighbours(verdicts, {at_work(.97), at_work(.4)});
  EXPECT_EQ(verdicts[0].kind, VerdictKind::inconclusive);
  EXPECT_TRUE(verdicts[0].beside_others);
  EXPECT_THAT(verdicts[0].reason,
              HasSubstr("other processes kept the GPU busy (40% or more) when each round began"));
  EXPECT_EQ(verdicts[1].kind, VerdictKind::regressed) << "of the host";
  EXPECT_EQ(verdicts[2].kind, VerdictKind::regressed) << "it does not count";
  verdicts.erase(verdicts.begin() + 1, verdicts.end());
  OutcomeInput input;
  input.verdicts = verdicts;
  const Outcome ended = outcome(input);
  EXPECT_EQ(ended.code, ExitCode::cannot_judge);
  EXPECT_EQ(
      ended.sentence,
      "cannot judge: 1 metric is worse (gpu/read:bandwidth by 5.0%), and other processes used the GPU: measure "
      "again when it is free");
}

TEST(Neighbours, ThatRestExcuseNoRegression) {
  for (const std::vector<result::Run>& rounds :
       {std::vector{at_work(.97), at_work(.05)}, std::vector{OneGpu{}.run()}, std::vector<result::Run>{}}) {
    std::vector<Verdict> verdicts = regressions();
    allow_for_busy_neighbours(verdicts, rounds);
    EXPECT_EQ(verdicts[0].kind, VerdictKind::regressed);
  }
}

TEST(Neighbours, AreTheMostThatAnyRoundSaw) {
  EXPECT_FALSE(other_processes(OneGpu{}.run()));
  EXPECT_EQ(other_processes(beside({}, {0, 3, 1})), 3);
  EXPECT_EQ(other_processes(beside({}, {0})), 0);
  EXPECT_EQ(other_processes(beside({}, {1e300})), 1000000) << "a file from elsewhere";
}

}  // namespace
}  // namespace gpugauge::judge
