// From what benchmarks note beside their figures to facts, and to causes that ask for them.
#include "conductor/observe_notes.hpp"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "report/summary.hpp"
#include "unit/conductor/observe_fixture.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

class ObserveNotes : public testing::Test {
 protected:
  ObserveNotes() {
    result::Run run;
    run.device = "GPU-0";
    run.started = "2026-11-28T10:00:00Z";
    run.complete = true;
    run.fingerprint.device = {{"gpu.0.uuid", "GPU-0"}, {"gpu.0.name", "NVIDIA H100 80GB HBM3"}};
    device_.rounds = {run};
    before_.runs = {run};
  }

  result::BenchmarkResult& benchmark(const std::string& id, const result::Facts& notes) {
    result::Process& process = device_.rounds.front().processes.emplace_back();
    process.family = id.substr(0, id.find('/'));
    process.samples.emplace().family = process.family;
    auto& made = process.samples->benchmarks.emplace_back();
    made.id = id;
    made.notes = notes;
    made.verifications = {{"compared", true, 0., 1.}};
    return made;
  }
  result::Metric& metric(result::BenchmarkResult& benchmark, const std::string& name, double value) {
    result::Metric& made = benchmark.metrics.emplace_back();
    made.name = name;
    made.unit = "1";
    made.metric_class = "gemm16";
    made.statistic = "ratio";
    made.value = value;
    return made;
  }
  void overlap(const char* told, double ratio, bool judged = true) {
    metric(benchmark("launch/overlap", {{"streams_overlap", told}}), "two_over_one", ratio).judged = judged;
  }
  void verdict(const std::string& key, judge::VerdictKind kind, const std::string& metric_class,
               double factor) {
    judge::Verdict made;
    made.kind = kind;
    made.metric = key;
    made.metric_class = metric_class;
    made.better = result::Direction::higher;
    made.value = 1 / factor;
    made.baseline = 1;
    device_.verdicts.push_back(made);
  }

  diagnose::Observation observation() { return observe(device_, &before_); }
  std::vector<std::string> causes() { return causes_of(observation()); }

  report::DeviceReport device_;
  baseline::Baseline before_;
};

TEST_F(ObserveNotes, ALoadThatLosesMoreThanBeforeGetsWorseWithTime) {
  using judge::VerdictKind;
  verdict("sustained/gemm/bf16:last_over_first", VerdictKind::ok, "gemm16", 1);
  EXPECT_EQ(observation().telemetry.at("drift"), diagnose::Value("none"));
  verdict("sustained/copy:last_over_first", VerdictKind::regressed, "hbm", 1.2);
  EXPECT_EQ(observation().telemetry.at("drift"), diagnose::Value("worse_with_time"));
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(observation()), "again"), observation());
  device_.verdicts.back().advisory = true;
  EXPECT_EQ(observation().telemetry.at("drift"), diagnose::Value("none"));
}

TEST_F(ObserveNotes, WithoutAComparisonOnlyALargeLossIsDrift) {
  metric(benchmark("sustained/gemm/bf16", {}), "last_over_first", .93);
  EXPECT_FALSE(observation().telemetry.contains("drift"));
  device_.rounds.front().processes.clear();
  metric(benchmark("sustained/gemm/bf16", {}), "last_over_first", .7);
  EXPECT_EQ(observation().telemetry.at("drift"), diagnose::Value("worse_with_time"));
}

TEST_F(ObserveNotes, DriftMakesHeatMoreLikely) {
  const auto heat = [&] {
    for (const diagnose::Finding& finding : diagnose::diagnose(observation()).findings)
      if (finding.cause == "thermal_throttle") return finding.score;
    return 0.;
  };
  verdict("sustained/gemm/bf16:mean", judge::VerdictKind::regressed, "gemm16", 1.2);
  device_.rounds.front().telemetry = {
      {"gpu:GPU-0", "temperature_celsius", "degree_celsius", {1, 2}, {86, 86}}};
  const double without = heat();
  verdict("sustained/gemm/bf16:last_over_first", judge::VerdictKind::regressed, "gemm16", 1.2);
  EXPECT_GT(heat(), without);
}

TEST_F(ObserveNotes, StreamsThatDoNotOverlapAreAProbe) {
  overlap("false", 1.98);
  overlap("false", 2.02);
  const auto probes = observation().probes;
  ASSERT_EQ(probes.size(), 1u);
  EXPECT_EQ(probes[0].name, "stream_overlap");
  EXPECT_EQ(probes[0].outcome, "no_overlap");
  EXPECT_EQ(probes[0].detail, "two_over_one=2.00");
  EXPECT_THAT(causes(), Contains("cuda_launch_blocking"));
}

TEST_F(ObserveNotes, StreamsThatOverlapExcludeBlockingLaunches) {
  overlap("true", 1.01);
  EXPECT_EQ(observation().probes.at(0).outcome, "normal");
  EXPECT_THAT(causes(), IsEmpty());
}

TEST_F(ObserveNotes, WhereProcessesDifferOrNothingIsPromisedNothingIsSaid) {
  overlap("true", 1.01);
  overlap("false", 2.0);
  EXPECT_THAT(observation().probes, IsEmpty());
  device_.rounds.front().processes.clear();
  overlap("false", 2.0, false);  // WSL, or synchronous launches
  EXPECT_THAT(observation().probes, IsEmpty());
  EXPECT_THAT(causes(), IsEmpty());
}

TEST_F(ObserveNotes, LaunchesThatWaitAreASetting) {
  benchmark("launch/enqueue/runtime/0", {{"synchronous_launch", "false"}});
  EXPECT_THAT(observation().settings, IsEmpty());
  device_.rounds.front().processes.clear();
  benchmark("launch/enqueue/runtime/0", {{"synchronous_launch", "true"}});
  EXPECT_EQ(observation().settings.at("cuda.synchronous_launch"), diagnose::Value(true));
  EXPECT_THAT(causes(), IsEmpty());
  verdict("launch/enqueue/runtime/0:latency", judge::VerdictKind::regressed, "launch", 4);
  EXPECT_THAT(causes(), Contains("cuda_launch_blocking"));
}

TEST_F(ObserveNotes, TheNodesOfProcessAndGpuAreCompared) {
  benchmark("copy/h2d/pinned/64MiB", {{"numa_node", "0"}, {"gpu_numa_node", "unknown"}});
  EXPECT_FALSE(observation().inventory.contains("host.numa_local"));
  benchmark("copy/h2d/pinned/64MiB", {{"numa_node", "0"}, {"gpu_numa_node", "1"}});
  EXPECT_EQ(observation().inventory.at("host.numa_local"), diagnose::Value(false));
  verdict("copy/h2d/pinned/64MiB:bandwidth", judge::VerdictKind::regressed, "h2d", 3);
  EXPECT_THAT(causes(), Contains("numa_misplacement"));
  benchmark("copy/h2d/pinned/64MiB", {{"numa_node", "1"}, {"gpu_numa_node", "1"}});
  EXPECT_FALSE(observation().inventory.contains("host.numa_local"));
}

TEST_F(ObserveNotes, ABestPlanThatIsAsFastAsBeforeMakesItTheHeuristicsFault) {
  using judge::VerdictKind;
  device_.rounds.front().fingerprint.stack["cudnn.version"] = "9.11.0";
  before_.runs.front().fingerprint.stack["cudnn.version"] = "9.10.0";
  verdict("cudnn/fprop/bf16/stage3_3x3/nhwc:throughput", VerdictKind::regressed, "conv", 4);
  verdict("cudnn/fprop/bf16/stage3_3x3/nhwc:throughput_best", VerdictKind::ok, "conv", 1);
  verdict("cublas/bf16/lt/8192x8192x8192:throughput", VerdictKind::ok, "gemm16", 1);
  const auto probes = observation().probes;
  ASSERT_EQ(probes.size(), 1u);
  EXPECT_EQ(probes[0].name, "autotune");
  EXPECT_EQ(probes[0].outcome, "recovers");
  EXPECT_EQ(probes[0].detail, "cudnn_plan=best of cudnn/fprop/bf16/stage3_3x3/nhwc");
  EXPECT_EQ(probes[0].factor, 1);
  EXPECT_EQ(probes[0].factor_without, 4);
  EXPECT_EQ(causes().at(0), "cudnn_heuristic_regression");
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(observation()), "again"), observation());
}

TEST_F(ObserveNotes, WhereEveryPlanIsAsSlowItIsNotTheHeuristic) {
  using judge::VerdictKind;
  device_.rounds.front().fingerprint.stack["cudnn.version"] = "9.11.0";
  before_.runs.front().fingerprint.stack["cudnn.version"] = "9.10.0";
  verdict("cudnn/fprop/bf16/stage3_3x3/nhwc:throughput", VerdictKind::regressed, "conv", 4);
  verdict("cudnn/fprop/bf16/stage3_3x3/nhwc:throughput_best", VerdictKind::regressed, "conv", 3.5);
  const auto probes = observation().probes;
  ASSERT_EQ(probes.size(), 1u);
  EXPECT_EQ(probes[0].outcome, "no_change");
  EXPECT_THAT(causes(), Not(Contains("cudnn_heuristic_regression")));
  EXPECT_EQ(causes().at(0), "cudnn_version_regression");
}

TEST_F(ObserveNotes, WhatASearchOfPlansGainsOnlyInPartIsNoAnswer) {
  using judge::VerdictKind;
  const auto outcome = [&](double best, VerdictKind kind) {
    device_.verdicts.clear();
    verdict("cudnn/wgrad/x:throughput", VerdictKind::regressed, "conv", 4);
    verdict("cudnn/wgrad/x:throughput_best", kind, "conv", best);
    const auto probes = observation().probes;
    return probes.empty() ? "" : probes[0].outcome;
  };
  EXPECT_EQ(outcome(2, VerdictKind::regressed), "");
  EXPECT_EQ(outcome(1.5, VerdictKind::regressed), "recovers");
  EXPECT_EQ(outcome(2.6, VerdictKind::regressed), "no_change");
  EXPECT_EQ(outcome(1, VerdictKind::inconclusive), "");
  EXPECT_EQ(outcome(.9, VerdictKind::improved), "recovers");
  // One of three recovers: neither the heuristic alone, nor every plan.
  verdict("cudnn/dgrad/x:throughput", VerdictKind::regressed, "conv", 2);
  verdict("cudnn/dgrad/x:throughput_best", VerdictKind::regressed, "conv", 2);
  EXPECT_EQ(observation().probes.at(0).outcome, "recovers") << "half of them";
  verdict("cudnn/fprop/x:throughput", VerdictKind::regressed, "conv", 2);
  verdict("cudnn/fprop/x:throughput_best", VerdictKind::regressed, "conv", 2);
  EXPECT_THAT(observation().probes, IsEmpty());
}

TEST_F(ObserveNotes, OnlyCudnnIsSearchedForPlans) {
  verdict("cublas/bf16/lt/x:throughput", judge::VerdictKind::regressed, "gemm16", 4);
  verdict("cublas/bf16/lt/x:throughput_best", judge::VerdictKind::ok, "gemm16", 1);
  EXPECT_THAT(observation().probes, IsEmpty());
}

}  // namespace
}  // namespace gpugauge::conductor
