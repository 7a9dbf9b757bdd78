// From the ids and parameters of benchmarks to the scopes of their figures, and to causes that ask for them.
#include "conductor/observe_scopes.hpp"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

/// A check of GPU-0 beside a baseline, each benchmark of which three processes measured.
class ObserveScopes : public testing::Test {
 protected:
  ObserveScopes() {
    result::Run run;
    run.device = "GPU-0";
    run.started = "2026-11-28T10:00:00Z";
    run.complete = true;
    run.fingerprint.device = {{"gpu.0.uuid", "GPU-0"}, {"gpu.0.name", "NVIDIA H100 80GB HBM3"}};
    before_.runs = {run};
    device_.rounds = {run};
  }

  /// One benchmark with its verdict; `factor`: how many times as slow.
  void measured(const std::string& id, const std::string& metric_class, const result::Facts& parameters,
                double factor, const std::vector<double>& values = {1, 1, 1},
                const std::string& library = "cublas") {
    for (auto* const side : {&device_.rounds.front(), &before_.runs.front()}) {
      const bool now = side == &device_.rounds.front();
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (side->processes.size() <= i) side->processes.emplace_back().family = id.substr(0, id.find('/'));
        auto& process = side->processes[i];
        process.index = static_cast<int>(i);
        if (!process.samples) process.samples.emplace().family = process.family;
        result::BenchmarkResult benchmark;
        benchmark.id = id;
        benchmark.parameters = parameters;
        if (!library.empty()) benchmark.notes = {{"library", library}};
        benchmark.verifications = {{"compared", true, 0., 1.}};
        result::Metric& metric = benchmark.metrics.emplace_back();
        metric.name = "throughput";
        metric.unit = "flop/second";
        metric.metric_class = metric_class;
        metric.statistic = "median";
        metric.value = now ? values[i] : 1 + .001 * static_cast<double>(i);
        process.samples->benchmarks.push_back(benchmark);
      }
    }
    judge::Verdict verdict;
    verdict.kind = factor > 1 ? judge::VerdictKind::regressed : judge::VerdictKind::ok;
    verdict.metric = id + ":throughput";
    verdict.metric_class = metric_class;
    verdict.better = result::Direction::higher;
    verdict.tolerance = .03;
    verdict.value = 1 / factor;
    verdict.baseline = 1;
    device_.verdicts.push_back(verdict);
  }

  diagnose::Observation observation() { return observe(device_, &before_); }
  diagnose::Scope scope() { return observation().metrics.back().scope; }
  std::map<std::string, double> causes() {
    std::map<std::string, double> out;
    for (const diagnose::Finding& finding : diagnose::diagnose(observation()).findings)
      out.emplace(finding.cause, finding.score);
    return out;
  }

  report::DeviceReport device_;
  baseline::Baseline before_;
};

TEST_F(ObserveScopes, AProductHasItsTypeAndSizeAndWhetherItSuitsTensorCores) {
  measured("cublas/misaligned/bf16/4095x4095x4095", "gemm16", {{"shape", "4095x4095x4095"}}, 1);
  EXPECT_EQ(scope().dtype, "bf16");
  EXPECT_EQ(scope().size, "large");
  EXPECT_EQ(scope().aligned, false);
  EXPECT_EQ(scope().library, "cublas");
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(observation()), "again"), observation());
}

TEST_F(ObserveScopes, SixteenBytesDecideWhatIsAligned) {
  const auto aligned = [&](const std::string& shape, const std::string& metric_class) {
    measured("cublas/x/" + shape, metric_class, {{"shape", shape}}, 1);
    return scope().aligned;
  };
  EXPECT_EQ(aligned("4088x4088x4088", "gemm16"), true);
  EXPECT_EQ(aligned("4092x4092x4092", "gemm16"), false);
  EXPECT_EQ(aligned("4088x4088x4088", "gemm8"), false);
  EXPECT_EQ(aligned("4092x4092x4092", "gemmtf32"), true);
  EXPECT_EQ(aligned("4094x4094x4094", "gemm64"), true);
  EXPECT_EQ(aligned("32768x1x8192", "gemm16"), true);  // a vector has no row
  EXPECT_EQ(aligned("1x32x16384x127", "attention"), std::nullopt);
  EXPECT_EQ(aligned("large", "gemm16"), std::nullopt);
}

TEST_F(ObserveScopes, ABatchFillsTheDeviceAsOneProductDoes) {
  measured("cublas/batched/fp32/128x128x128/1", "gemm32", {{"shape", "128x128x128"}, {"batch", "1"}}, 1);
  EXPECT_EQ(scope().size, "small");
  measured("cublas/batched/fp32/512x512x512/1024", "gemm32", {{"shape", "512x512x512"}, {"batch", "1024"}},
           1);
  EXPECT_EQ(scope().size, "large");
}

TEST_F(ObserveScopes, ATransferHasItsSizeAndDirection) {
  measured("copy/h2d/pinned/64MiB", "h2d", {{"size", "64MiB"}}, 1, {1, 1, 1}, "");
  EXPECT_EQ(scope().direction, "h2d");
  EXPECT_EQ(scope().size, "large");
  EXPECT_EQ(scope().dtype, "");
  measured("copy/bidirectional/pinned/4KiB", "h2d", {{"size", "4KiB"}}, 1, {1, 1, 1}, "");
  EXPECT_EQ(scope().direction, "both");
  EXPECT_EQ(scope().size, "small");
}

TEST_F(ObserveScopes, OnlyWorkOfTensorCoresHasAType) {
  measured("cufft/one_dimension/fp32/1048576", "fft", {{"size", "1048576"}}, 1, {1, 1, 1}, "");
  EXPECT_EQ(scope().dtype, "");
  EXPECT_EQ(scope().size, "");
  measured("launch/after_idle", "launch", {}, 1, {1, 1, 1}, "");
  EXPECT_EQ(scope().phase, "after_idle");
}

TEST_F(ObserveScopes, MisalignedShapesAloneAreNamed) {
  measured("cublas/bf16/lt/4096x4096x4096", "gemm16", {{"shape", "4096x4096x4096"}}, 1);
  measured("cublas/misaligned/bf16/4095x4095x4095", "gemm16", {{"shape", "4095x4095x4095"}}, 3);
  EXPECT_THAT(causes(), Contains(testing::Key("tc_misaligned_dims")));
}

TEST_F(ObserveScopes, MisalignedShapesBesideAlignedOnesAreNoCause) {
  measured("cublas/bf16/lt/4096x4096x4096", "gemm16", {{"shape", "4096x4096x4096"}}, 3);
  measured("cublas/misaligned/bf16/4095x4095x4095", "gemm16", {{"shape", "4095x4095x4095"}}, 3);
  EXPECT_THAT(causes(), Not(Contains(testing::Key("tc_misaligned_dims"))));
}

TEST_F(ObserveScopes, ALibraryThatIsSlowWithEveryShapeIsNamedAsBefore) {
  for (result::Run* const run : {&device_.rounds.front(), &before_.runs.front()})
    run->fingerprint.stack = {{"cublas.version", run == &before_.runs.front() ? "13.0.0" : "13.1.0"}};
  measured("cublas/bf16/lt/4096x4096x4096", "gemm16", {{"shape", "4096x4096x4096"}}, 1.5);
  measured("gemm/bf16/wgmma/4096x4096x4096", "gemm16", {{"shape", "4096x4096x4096"}}, 1, {1, 1, 1}, "");
  const double alone = causes()["cublas_version_regression"];
  EXPECT_GE(alone, .35);
  measured("cublas/misaligned/bf16/4095x4095x4095", "gemm16", {{"shape", "4095x4095x4095"}}, 1.5);
  EXPECT_GE(causes()["cublas_version_regression"], alone);
}

TEST_F(ObserveScopes, AnotherLibrarysTypeIsNoComparison) {
  measured("gemm/fp16/wgmma/4096x4096x4096", "gemm16", {{"shape", "4096x4096x4096"}}, 1.5, {1, 1, 1}, "");
  measured("cublas/bf16/lt/4096x4096x4096", "gemm16", {{"shape", "4096x4096x4096"}}, 1);
  EXPECT_THAT(causes(), Not(Contains(testing::Key("tc_not_selected_for_shape"))));
}

TEST_F(ObserveScopes, OneLayoutOfConvolutionsIsNamed) {
  measured("cudnn/fprop/bf16/stage3_3x3/nhwc", "conv", {{"layout", "nhwc"}}, 1, {1, 1, 1}, "");
  measured("cudnn/fprop/bf16/stage3_3x3/nchw", "conv", {{"layout", "nchw"}}, 2, {1, 1, 1}, "");
  EXPECT_EQ(scope().layout, "nchw");
  EXPECT_THAT(causes(), Contains(testing::Key("conv_layout_path")));
}

TEST_F(ObserveScopes, BothLayoutsAreNoMatterOfLayout) {
  measured("cudnn/fprop/bf16/stage3_3x3/nhwc", "conv", {{"layout", "nhwc"}}, 2, {1, 1, 1}, "");
  measured("cudnn/fprop/bf16/stage3_3x3/nchw", "conv", {{"layout", "nchw"}}, 2, {1, 1, 1}, "");
  EXPECT_THAT(causes(), Not(Contains(testing::Key("conv_layout_path"))));
}

TEST_F(ObserveScopes, TheSpreadOfProcessesIsTold) {
  measured("copy/h2d/pinned/64MiB", "h2d", {{"size", "64MiB"}}, 1, {.8, 1, 1.2}, "");
  EXPECT_NEAR(*observation().metrics.back().spread, .2, 1e-12);
  EXPECT_EQ(observation().metrics.back().bimodal, false);  // three values are too few for two groups
}

TEST_F(ObserveScopes, TwoGroupsOfProcessesAreTold) {
  measured("cublas/bf16/lt/4096x4096x4096", "gemm16", {}, 1.3, {1, 1.001, .7, .701, 1.002, .702});
  EXPECT_EQ(observation().metrics.back().bimodal, true);
}

TEST_F(ObserveScopes, WithoutABaselineGroupsAreNotTold) {
  measured("cublas/bf16/lt/4096x4096x4096", "gemm16", {}, 1, {1, 1.001, .7, .701, 1.002, .702});
  device_.verdicts.back().judge = judge::Judge::physical;
  device_.verdicts.back().kind = judge::VerdictKind::failed;
  device_.verdicts.back().share = .3;
  const diagnose::Observation seen = observe(device_, nullptr);
  ASSERT_EQ(seen.metrics.size(), 1u);
  EXPECT_TRUE(seen.metrics[0].spread.has_value());
  EXPECT_FALSE(seen.metrics[0].bimodal.has_value());
}

TEST_F(ObserveScopes, WhatIsUnstableIsPassedOnWithoutAFactor) {
  measured("cublas/bf16/lt/4096x4096x4096", "gemm16", {}, 1, {1, 1.001, .7, .701, 1.002, .702});
  device_.verdicts.back().kind = judge::VerdictKind::unstable;
  const diagnose::Observation seen = observation();
  ASSERT_EQ(seen.metrics.size(), 1u);
  EXPECT_FALSE(seen.metrics[0].factor.has_value());
  EXPECT_FALSE(seen.metrics[0].fails);
  EXPECT_GT(*seen.metrics[0].spread, .1);
  EXPECT_EQ(seen.metrics[0].bimodal, true);
  EXPECT_THAT(causes(), IsEmpty());
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(seen), "again"), seen);
}

}  // namespace
}  // namespace gpugauge::conductor
