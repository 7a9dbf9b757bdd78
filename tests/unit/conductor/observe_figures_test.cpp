// Which figures of a check an observation has: what the judge said of each, and what none of them denies.
#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/seen.hpp"

namespace gpugauge::conductor {
namespace {

class ObserveFigures : public testing::Test {
 protected:
  ObserveFigures() {
    result::Run run;
    run.device = "host";
    run.complete = true;
    before_.runs = {run};
    device_.rounds = {run};
  }

  /// A time, beside which it took 1 before.
  void verdict(const std::string& metric_class, judge::VerdictKind kind, double value,
               const std::string& metric = "some/benchmark:time") {
    judge::Verdict verdict;
    verdict.kind = kind;
    verdict.metric = metric;
    verdict.metric_class = metric_class;
    verdict.better = result::Direction::lower;
    verdict.value = value;
    verdict.baseline = 1;
    device_.verdicts.push_back(verdict);
  }
  diagnose::Observation observation() { return observe(device_, &before_); }

  report::DeviceReport device_;
  baseline::Baseline before_;
};

TEST_F(ObserveFigures, WhatTheJudgeCallsSlowerIsSlowerHoweverLittle) {
  verdict("hbm", judge::VerdictKind::regressed, 1.012);
  verdict("launch", judge::VerdictKind::improved, .98);
  verdict("gemm16", judge::VerdictKind::ok, 1.02);
  const diagnose::Observation seen = observation();
  EXPECT_EQ(seen.metrics.at(0).judged, "slower");
  EXPECT_EQ(seen.metrics.at(1).judged, "faster");
  EXPECT_EQ(seen.metrics.at(2).judged, "");
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(seen), "again"), seen);
  EXPECT_EQ(diagnose::diagnose(seen).state, diagnose::State::unknown);
}

/// Slower than before by half, and below a limit that it did not reach before either.
TEST_F(ObserveFigures, HowSlowItBecameIsNotHowFarItIsFromALimit) {
  verdict("gemm16", judge::VerdictKind::regressed, 2, "peak/bf16/mma_sync:throughput");
  judge::Verdict limit = device_.verdicts.front();
  limit.judge = judge::Judge::physical;
  limit.kind = judge::VerdictKind::failed;
  limit.share = .33;
  device_.verdicts.insert(device_.verdicts.begin(), limit);
  ASSERT_EQ(observation().metrics.size(), 1U);
  EXPECT_DOUBLE_EQ(observation().metrics.front().factor.value_or(0), 2);
  EXPECT_EQ(observation().metrics.front().note, "");
  device_.verdicts.back().kind = judge::VerdictKind::inconclusive;
  ASSERT_EQ(observation().metrics.size(), 1U);
  EXPECT_EQ(diagnose::sentence(observation().metrics.front()),
            "gemm16 (peak/bf16/mma_sync:throughput, gpugauge) reaches 33% of the physical limit");
}

TEST_F(ObserveFigures, OwnKernelsAreSaidToBeOurs) {
  verdict("gemm16", judge::VerdictKind::regressed, 2, "gemm/bf16/wgmma/8192x8192x8192:throughput");
  verdict("gemm16", judge::VerdictKind::regressed, 2, "cublas/bf16/lt/8192x8192x8192:throughput");
  EXPECT_EQ(observation().metrics.at(0).scope.library, "gpugauge");
  EXPECT_EQ(observation().metrics.at(1).scope.library, "");
}

TEST_F(ObserveFigures, WhatMovedWithTheMeanOfItsClassDoesNotDenyIt) {
  verdict("gemm16", judge::VerdictKind::regressed, 1.02, "class/gemm16");
  verdict("gemm16", judge::VerdictKind::ok, 1.02, "cublas/a:time");
  verdict("gemm16", judge::VerdictKind::ok, 1.0, "cublas/b:time");
  const diagnose::Observation seen = observation();
  ASSERT_EQ(seen.metrics.size(), 2U);
  EXPECT_EQ(seen.metrics.at(0).scope.op, "class/gemm16");
  EXPECT_EQ(seen.metrics.at(1).scope.op, "cublas/b:time");
}

TEST_F(ObserveFigures, OperationsPerClockSpeakWhereTheTimeDidNotMove) {
  const auto seen = [&](judge::VerdictKind time, judge::VerdictKind per_clock, bool advisory = false) {
    device_.verdicts.clear();
    verdict("gemm16", time, time == judge::VerdictKind::ok ? 1.005 : 1.25, "cublas/a:throughput");
    device_.verdicts.back().advisory = advisory;
    verdict("gemm16", per_clock, 1.008, "cublas/a:flop_per_clock_per_sm");
    return observation().metrics;
  };
  using judge::VerdictKind;
  for (const VerdictKind time : {VerdictKind::ok, VerdictKind::inconclusive, VerdictKind::unstable}) {
    const auto fell = seen(time, VerdictKind::regressed);
    ASSERT_EQ(fell.size(), 1U);
    EXPECT_EQ(fell.front().scope.op, "cublas/a:flop_per_clock_per_sm");
    EXPECT_EQ(fell.front().judged, "slower");
  }
  EXPECT_EQ(seen(VerdictKind::regressed, VerdictKind::regressed, true).size(), 1U);
  for (const VerdictKind per_clock : {VerdictKind::ok, VerdictKind::regressed, VerdictKind::improved}) {
    const auto slow = seen(VerdictKind::regressed, per_clock);
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_EQ(slow.front().scope.op, "cublas/a:throughput");
  }
  EXPECT_TRUE(seen(VerdictKind::inconclusive, VerdictKind::ok).empty());
}

TEST_F(ObserveFigures, EachFigureHasItsValueAndUnit) {
  verdict("gemm16", judge::VerdictKind::ok, 3e14, "cublas/bf16/lt/8192x8192x8192:throughput");
  verdict("gemm8", judge::VerdictKind::regressed, 2.9e14, "cublas/fp8/lt_e4m3/8192x8192x8192:throughput");
  verdict("launch", judge::VerdictKind::ok, 1);
  for (judge::Verdict& one : device_.verdicts) one.better = result::Direction::higher;
  for (const std::size_t of_products : {0U, 1U}) device_.verdicts[of_products].unit = "flop/second";
  device_.verdicts[1].baseline = 5.8e14;
  diagnose::Observation seen = observation();
  EXPECT_EQ(seen.metrics.at(0).value, 3e14);
  EXPECT_EQ(seen.metrics.at(0).unit, "flop/second");
  EXPECT_EQ(seen.metrics.at(1).value, 2.9e14);
  EXPECT_FALSE(seen.metrics.at(2).value) << "a number without a unit tells nothing";
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(seen), "again"), seen);
  // On a GPU without fp8 instructions one pipeline for both is what they lack.
  seen.about.compute_capability = "8.6";
  seen.about.compared_with = "expected";
  EXPECT_EQ(diagnose::diagnose(seen).findings.at(0).cause, "fp8_not_native");
  seen.about.compute_capability = "9.0";
  for (const diagnose::Finding& finding : diagnose::diagnose(seen).findings)
    EXPECT_NE(finding.cause, "fp8_not_native") << "it has such instructions";
}

}  // namespace
}  // namespace gpugauge::conductor
