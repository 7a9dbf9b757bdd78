// What is said of a framework's matrix products beside the same products of our own cuBLAS, with exact vectors.
#include "conductor/framework_products.hpp"

#include <gmock/gmock.h>

#include "conductor/frameworks.hpp"
#include "result/facts.hpp"

namespace gpugauge::conductor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* bf16 = "cublas/bf16/lt/4096x4096x4096";
constexpr const char* tf32 = "cublas/tf32/lt/4096x4096x4096";

result::BenchmarkResult measured(const std::string& id, double flops) {
  result::BenchmarkResult out;
  out.id = id;
  result::Metric speed;
  speed.name = "throughput";
  speed.unit = "flop/second";
  speed.metric_class = "gemm16";
  speed.statistic = "median";
  speed.value = flops;
  out.metrics = {speed};
  out.verifications = {{.method = "made for the test", .passed = true, .error = {}, .tolerance = {}}};
  return out;
}

/// A product of torch that ran on the GPU; `numerics` as its probe notes it.
result::BenchmarkResult product(const std::string& type, double flops, const std::string& numerics = "") {
  result::BenchmarkResult out = measured("torch/matmul/" + type + "/4096x4096x4096", flops);
  out.parameters = {{"type", type}, {"shape", "4096x4096x4096"}};
  out.notes = {{"ran_on", "gpu"}, {"evidence", "seen"}};
  out.metrics.front().metric_class = "framework_op";
  if (!numerics.empty()) out.notes["numerics"] = numerics;
  return out;
}

result::Run run_of(const std::string& family, std::vector<result::BenchmarkResult> benchmarks) {
  result::Run out;
  out.complete = true;
  out.profile = "frameworks";
  out.device = "host";
  out.started = "2026-11-28T10:00:00Z";
  out.processes.resize(1);
  out.processes[0].family = family;
  out.processes[0].samples.emplace();
  out.processes[0].samples->family = family;
  out.processes[0].samples->benchmarks = std::move(benchmarks);
  if (family == "torch")
    out.processes[0].samples->context = {{"framework.version", "2.8.0"},
                                         {"framework.build", "cuda"},
                                         {"framework.device_name", "NVIDIA H200"},
                                         {"framework.library.0", "/opt/venv/libcublas.so.12.8.4.1"}};
  return out;
}

report::FrameworksReport judged(const result::Run& run) {
  stack::GpuReport gpus;
  gpus.state = stack::GpuState::usable;
  gpus.gpus.resize(1);
  return judge_frameworks(run, gpus);
}

result::Run beside(std::vector<result::BenchmarkResult> products, const OwnFigures& own) {
  result::Run out = run_of("torch", std::move(products));
  add_shares(own, out);
  return out;
}

TEST(FrameworkProducts, TheTypeIsTheOneInWhichAProductWasSeenToCompute) {
  EXPECT_EQ(own_product_of(product("bf16", 1)), bf16);
  EXPECT_EQ(own_product_of(product("fp32", 1, "tf32")), tf32);
  EXPECT_EQ(own_product_of(product("fp32", 1, "bf16")), bf16);
  EXPECT_EQ(own_product_of(product("fp32", 1, "fp32")), "cublas/fp32/lt/4096x4096x4096");
  EXPECT_EQ(own_product_of(product("fp32", 1)), "cublas/fp32/lt/4096x4096x4096");
}

TEST(FrameworkProducts, OnlyAProductThatRanWellOnTheGpuIsCompared) {
  auto other = product("bf16", 1);
  other.notes["ran_on"] = "cpu";
  EXPECT_EQ(own_product_of(other), "");
  other.notes["ran_on"] = "unknown";
  EXPECT_EQ(own_product_of(other), "");
  other = product("bf16", 1);
  other.status = result::Status::failed;
  EXPECT_EQ(own_product_of(other), "");
  other = product("bf16", 1);
  other.id = "torch/convolution/bf16/32x128x28x28x128x3";
  EXPECT_EQ(own_product_of(other), "");
  EXPECT_THAT(own_products_of(run_of("torch", {product("fp32", 1, "tf32"), other, product("bf16", 1)})),
              ElementsAre(bf16, tf32));
}

TEST(FrameworkProducts, AFigureOfOursOrTheNearestReasonWhyThereIsNone) {
  auto skipped = measured(tf32, 0);
  skipped.status = result::Status::skipped;
  skipped.reason = "needs 2 GiB";
  skipped.metrics.clear();
  const OwnFigures own =
      own_figures(run_of("cublas", {measured(bf16, 7e14), skipped}), {bf16, tf32, "cublas/x"});
  EXPECT_EQ(own.at(bf16).flops, 7e14);
  EXPECT_EQ(own.at(bf16).reason, "");
  EXPECT_FALSE(own.at(tf32).flops.has_value());
  EXPECT_EQ(own.at(tf32).reason, "needs 2 GiB");
  EXPECT_EQ(own.at("cublas/x").reason, "the family left no figure of cublas/x");

  result::Run died = run_of("cublas", {});
  died.processes[0].samples.reset();
  died.processes[0].status = result::Status::failed;
  died.processes[0].reason = "gpugauge-bench-cublas was killed at its time limit of 180 s.";
  EXPECT_EQ(own_figures(died, {bf16}).at(bf16).reason, died.processes[0].reason);
}

TEST(FrameworkProducts, OursIsTooSlowItselfWherePhysicsSaysSo) {
  auto slow = measured(bf16, 1e14);
  slow.metrics.front().limit = result::Limit{.value = 1e15, .source = "data sheet", .saturating = true};
  result::Run own = run_of("cublas", {slow});
  own.processes[0].samples->context = {{"gpu.compute_capability", "9.0"}};
  const OwnFigures figures = own_figures(own, {bf16});
  EXPECT_EQ(figures.at(bf16).flops, 1e14);
  EXPECT_THAT(figures.at(bf16).reason, HasSubstr("10% of the limit"));
}

TEST(FrameworkProducts, AShareIsRecordedAndNeverJudged) {
  const result::Run run = beside({product("bf16", 6.86e14)}, {{bf16, {.flops = 7e14, .reason = ""}}});
  const result::BenchmarkResult& one = run.processes[0].samples->benchmarks[0];
  ASSERT_EQ(one.metrics.size(), 2U);
  EXPECT_EQ(one.metrics[1].name, "share_of_cublas");
  EXPECT_FALSE(one.metrics[1].judged);
  EXPECT_DOUBLE_EQ(one.metrics[1].value, .98);
  EXPECT_EQ(result::fact(one.notes, "cublas"), bf16);
  const report::FrameworksReport report = judged(run);
  EXPECT_DOUBLE_EQ(*report.frameworks[0].operations[0].own->share, .98);
  EXPECT_THAT(report::draw(report, {}), HasSubstr("0.98 (bf16)"));
  EXPECT_THAT(report.frameworks[0].remarks, IsEmpty());
  EXPECT_THAT(report.remarks, IsEmpty());
  EXPECT_EQ(report.outcome.sentence, "pass: torch ran on the GPU");
  EXPECT_FALSE(report.frameworks[0].diagnosis.has_value());
}

TEST(FrameworkProducts, FarBelowBeginsBelowTheBound) {
  const auto at = [](double flops) {
    return judged(beside({product("bf16", flops)}, {{bf16, {.flops = 1e15, .reason = ""}}}));
  };
  EXPECT_THAT(at(.8e15).frameworks[0].remarks, IsEmpty());
  EXPECT_THAT(
      at(.79e15).frameworks[0].remarks,
      ElementsAre(testing::AllOf(
          HasSubstr("torch/matmul/bf16/4096x4096x4096 reaches 0.79 of cublas/bf16/lt/4096x4096x4096."),
          HasSubstr("it loaded /opt/venv/libcublas.so.12.8.4.1"))));
}

TEST(FrameworkProducts, Fp32ThatIsRoundedToBf16IsSaidAndHeldAgainstBf16WithRoomForTheRounding) {
  const auto at = [](std::optional<double> flops, double ours) {
    result::Run run = beside({product("fp32", ours, "bf16")},
                             {{bf16, {.flops = flops, .reason = flops ? "" : "it is not installed"}}});
    run.processes[0].samples->context["torch.float32_matmul_precision"] = "medium";
    return judged(run);
  };
  const auto said = at(1e15, .5e15);
  EXPECT_THAT(report::draw(said, {}), HasSubstr("0.50 (bf16)"));
  EXPECT_THAT(
      said.frameworks[0].remarks,
      ElementsAre("torch/matmul/fp32/4096x4096x4096 takes fp32 matrices and has the error of bf16: the "
                  "framework rounds them to bf16 (torch.float32_matmul_precision is medium), which is "
                  "part of its time; it is held against cublas/bf16/lt/4096x4096x4096."));
  EXPECT_EQ(said.outcome.sentence, "pass: torch ran on the GPU");
  EXPECT_EQ(said.frameworks[0].observation->metrics.at(0).judged, "unchanged");
  const auto slow = at(1e15, .49e15);
  ASSERT_EQ(slow.frameworks[0].remarks.size(), 2U);
  EXPECT_THAT(slow.frameworks[0].remarks[1], HasSubstr("reaches 0.49 of cublas/bf16/lt/4096x4096x4096."));
  EXPECT_EQ(slow.frameworks[0].observation->metrics.at(0).judged, "slower");
  EXPECT_THAT(at({}, 1e15).frameworks[0].remarks, ElementsAre(testing::EndsWith("part of its time.")));
}

TEST(FrameworkProducts, FarBelowIsNoFailureAndTheDiagnosisNamesTheFramework) {
  const auto report = judged(beside({product("bf16", 3e14)}, {{bf16, {.flops = 7e14, .reason = ""}}}));
  EXPECT_EQ(report.outcome.code, judge::ExitCode::pass);
  EXPECT_THAT(report.outcome.sentence, HasSubstr("far below our own cuBLAS, which is not counted: torch"));
  ASSERT_TRUE(report.frameworks[0].diagnosis.has_value());
  ASSERT_FALSE(report.frameworks[0].diagnosis->findings.empty());
  EXPECT_EQ(report.frameworks[0].diagnosis->findings.front().cause, "framework_op_regression");
}

TEST(FrameworkProducts, WhereOursIsSlowItselfNoFrameworkIsBlamed) {
  const auto report =
      judged(beside({product("bf16", 3e13)}, {{bf16, {.flops = 1e14, .reason = "10% of the limit"}}}));
  EXPECT_THAT(report.frameworks[0].remarks, IsEmpty());
  EXPECT_THAT(report.remarks,
              ElementsAre("Our own cuBLAS is slow here itself (cublas/bf16/lt/4096x4096x4096: 10% of the "
                          "limit), which no framework causes: run `gpugauge check`."));
  EXPECT_EQ(report.outcome.sentence, "pass: torch ran on the GPU");
  EXPECT_FALSE(report.frameworks[0].diagnosis.has_value());
}

TEST(FrameworkProducts, OneReasonIsOneSentence) {
  const auto report = judged(beside({product("fp32", 1e13, "tf32"), product("bf16", 1e14)},
                                    {{bf16, {.flops = {}, .reason = "it is not installed"}},
                                     {tf32, {.flops = {}, .reason = "it is not installed"}}}));
  EXPECT_THAT(report.remarks,
              ElementsAre("Not compared with our own cuBLAS: torch/matmul/fp32/4096x4096x4096, "
                          "torch/matmul/bf16/4096x4096x4096: it is not installed"));
  EXPECT_THAT(report::to_json(report), HasSubstr("\"reason\": \"it is not installed\""));
  EXPECT_THAT(report.frameworks[0].observation->probes, testing::SizeIs(1));  // nvml_query alone
}

TEST(FrameworkProducts, AnObservationHasTheSlownessAndWhetherItWasJudgedSlow) {
  const auto seen =
      judged(beside({product("fp32", 1e14, "tf32"), product("bf16", 1.5e14)},
                    {{bf16, {.flops = 6e14, .reason = ""}}, {tf32, {.flops = 1e14, .reason = ""}}}));
  const auto& metrics = seen.frameworks[0].observation->metrics;
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_DOUBLE_EQ(*metrics[0].factor, 1);
  EXPECT_EQ(metrics[0].judged, "unchanged");
  EXPECT_DOUBLE_EQ(*metrics[1].factor, 4);
  EXPECT_EQ(metrics[1].judged, "slower");
  EXPECT_EQ(metrics[1].scope.framework, "torch");
  EXPECT_EQ(metrics[1].scope.dtype, "bf16");
}

TEST(FrameworkProducts, TheNativeBenchmarkIsComparedWithThatOfTheOtherSide) {
  const auto side = [](double own, const std::string& reason = "") {
    return std::vector<result::Run>{
        beside({product("bf16", 3e14)}, {{bf16, {.flops = own, .reason = reason}}})};
  };
  const std::vector<result::Run> before = side(7e14), nothing{run_of("torch", {product("bf16", 3e14)})};
  EXPECT_EQ(native_benchmark(side(7e14), nullptr)->outcome, "normal");
  EXPECT_EQ(native_benchmark(side(7e14), nullptr)->detail, bf16);
  EXPECT_EQ(native_benchmark(side(7e14, "10% of the limit"), nullptr)->outcome, "slow");
  EXPECT_EQ(native_benchmark(side(6.7e14), &before)->outcome, "normal");
  EXPECT_EQ(native_benchmark(side(6.6e14), &before)->outcome, "slow");
  EXPECT_FALSE(native_benchmark(nothing, nullptr).has_value());
  EXPECT_FALSE(native_benchmark(nothing, &before).has_value());
  EXPECT_FALSE(native_benchmark(before, &nothing).has_value());
}

}  // namespace
}  // namespace gpugauge::conductor
