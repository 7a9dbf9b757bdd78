#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "judge/peaks.hpp"
#include "judge/products.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using result::Direction;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// A product of `flops` per second on a GPU of 132 SMs at 1.755 GHz.
result::Run product(const std::string& metric_class, double flops, const std::string& capability = "9.0",
                    const std::string& id = "gemm/x") {
  result::Run run = make_run(1);
  for (result::Process& process : run.processes) {
    process.family = id.substr(0, id.find('/'));
    process.samples->family = process.family;
    process.samples->context = {{"gpu.compute_capability", capability}, {"gpu.sm_count", "132"}};
    process.samples->benchmarks = {
        benchmark(id, metric("throughput", "flop/second", Direction::higher, metric_class, flops))};
    process.samples->benchmarks[0].batches.sm_clock_hz = {1.755e9};
  }
  return run;
}

TEST(JudgePhysical, AProductAboveThePeakOfItsClassIsImpossible) {
  const double peak16 = 4096.0 * 132 * 1.755e9;
  const auto at = [&](double share) { return judge_physical(product("gemm16", share * peak16)).at(0); };
  EXPECT_EQ(at(1.06).kind, VerdictKind::failed);
  EXPECT_EQ(at(1.02).kind, VerdictKind::ok);
  EXPECT_EQ(at(.01).kind, VerdictKind::ok) << "small shapes are honest far below the peak";
  EXPECT_NEAR(at(.5).share.value(), .5, 1e-9);
  // The same figure declared as fp32 without Tensor Cores is sixteen times too fast.
  EXPECT_EQ(judge_physical(product("gemm32", peak16)).at(0).kind, VerdictKind::failed);
}

TEST(JudgePhysical, AnUnknownPeakIsSaidAndNeverCounted) {
  const auto said = [](const result::Run& run) {
    const Verdict verdict = judge_physical(run).at(0);
    EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
    EXPECT_TRUE(verdict.advisory);
    return verdict.reason;
  };
  EXPECT_THAT(said(product("gemm16", 1e12, "13.7")), HasSubstr("compute capability 13.7"));
  EXPECT_THAT(said(product("gemm64", 1e12, "10.3")), HasSubstr("gemm64"));
  result::Run run = product("gemm16", 1e12);
  for (result::Process& process : run.processes) process.samples->benchmarks[0].batches.sm_clock_hz.clear();
  EXPECT_THAT(said(run), HasSubstr("SM clock"));
  run = product("gemm16", 1e12);
  for (result::Process& process : run.processes) process.samples->context["gpu.sm_count"] = "many";
  EXPECT_THAT(said(run), HasSubstr("gpu.sm_count"));
}

TEST(JudgePhysical, AProductsShareIsSaidAtTheHighestClockTooAndIsNoLimitThere) {
  const double clock = 1.755e9, peak16 = 4096.0 * 132 * clock;
  result::Run run = product("gemm16", .9 * peak16);
  EXPECT_FALSE(judge_physical(run).at(0).share_at_highest_clock) << "the highest clock was not recorded";
  EXPECT_THAT(judge_physical(run).at(0).reason, HasSubstr("90% of the peak (4096 operations a clock"));
  for (result::Process& process : run.processes)
    process.samples->context["gpu.sm_clock_max_hz"] = "3510000000";
  const std::vector<Verdict> all = judge_physical(run);
  const Verdict& found = all.back();
  ASSERT_EQ(found.metric, "gemm/x:throughput");
  EXPECT_EQ(found.kind, VerdictKind::ok);
  EXPECT_NEAR(*found.share, .9, 1e-9);
  EXPECT_NEAR(*found.share_at_highest_clock, .45, 1e-9);
  EXPECT_THAT(found.reason,
              StartsWith("90% of the peak at the clock that it had; 45% of the peak at the highest "
                         "clock, 3.51 GHz (4096 operations a clock x 132 SMs x 1.75 GHz; "));
}

TEST(JudgePhysical, OperationsPerClockHaveTheirShareOfThePeak) {
  const auto run_of = [](const std::string& id, double operations, const char* instruction = "") {
    result::Run run = product("gemm16", operations * 132 * 1.755e9, "9.0", id);
    for (result::Process& process : run.processes) {
      result::BenchmarkResult& found = process.samples->benchmarks[0];
      found.notes = {{"saturating", "true"}};
      if (*instruction != '\0') found.notes["instruction"] = instruction;
      found.metrics.push_back(
          metric("flop_per_clock_per_sm", "flop/clock", Direction::higher, "gemm16", operations));
    }
    return run;
  };
  const auto per_clock = [](const result::Run& run) -> std::optional<Verdict> {
    for (const Verdict& verdict : judge_physical(run))
      if (verdict.metric.ends_with(":flop_per_clock_per_sm")) return verdict;
    return std::nullopt;
  };
  const auto found = per_clock(run_of("peak/bf16/wgmma", 4064));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, VerdictKind::ok);
  EXPECT_NEAR(*found->share, .9921875, 1e-9);
  EXPECT_THAT(found->reason, StartsWith("99% of the peak (4096 operations a clock and SM; "));
  const auto low = per_clock(run_of("peak/bf16/wgmma", 2000));
  EXPECT_EQ(low->kind, VerdictKind::failed) << "the floor of the rate";
  EXPECT_THAT(low->reason, StartsWith("49% of the peak, and a healthy device reaches at least 60% ("));
  EXPECT_EQ(per_clock(run_of("peak/bf16/wgmma", 4400))->kind, VerdictKind::failed) << "impossible";
  EXPECT_NEAR(*per_clock(run_of("peak/fp32/fma", 250, "fp32_fma"))->share, 250.0 / 256, 1e-9);
  EXPECT_EQ(per_clock(run_of("cublas/x", 400))->kind, VerdictKind::ok) << "small: no floor";
  EXPECT_FALSE(per_clock(run_of("peak/x", 250, "fp6_fma"))) << "its rate says that no peak is known";
}

TEST(Peak, IsTheFastestUnitOfTheClass) {
  EXPECT_EQ(peak("9.0", "gemm16")->operations_per_clock_per_sm, 4096);
  EXPECT_EQ(peak("8.0", "gemm64")->operations_per_clock_per_sm, 128);
  EXPECT_EQ(peak("9.0", "gemm32")->operations_per_clock_per_sm, 256);
  EXPECT_FALSE(peak("9.0", "hbm"));
  EXPECT_FALSE(peak("7.0", "gemmtf32"));
  EXPECT_FALSE(peak("6.1", "gemm32"));
  EXPECT_EQ(peak("8.0", "int8")->operations_per_clock_per_sm, 4096);
  EXPECT_FALSE(peak("8.0", "fp8")) << "its Tensor Cores know none";
  EXPECT_EQ(peak("10.3", "fp8")->operations_per_clock_per_sm, 16384);
  EXPECT_FALSE(peak("10.3", "int8")) << "cut there, and no source says how far";
}

// A GPU's fp64 Tensor Cores do twice what its CUDA cores do: the class alone would hide half a loss, and
// the impossible.
TEST(JudgePhysical, ASingleInstructionIsHeldAgainstItsOwnPeak) {
  const auto said = [](const std::string& instruction, const std::string& metric_class, const char* unit,
                       double operations) {
    result::Run run = product(metric_class, operations * 132 * 1.755e9);
    for (result::Process& process : run.processes) {
      process.samples->benchmarks[0].metrics[0].unit = unit;
      if (!instruction.empty()) process.samples->benchmarks[0].notes["instruction"] = instruction;
    }
    return judge_physical(run);
  };
  EXPECT_NEAR(said("", "gemm64", "flop/second", 128).at(0).share.value(), .5, 1e-9);
  EXPECT_NEAR(said("fp64_fma", "gemm64", "flop/second", 128).at(0).share.value(), 1, 1e-9);
  EXPECT_EQ(said("fp64_fma", "gemm64", "flop/second", 200).at(0).kind, VerdictKind::failed);
  EXPECT_NEAR(said("fp64_mma_m8n8k4", "gemm64", "flop/second", 128).at(0).share.value(), 1, 1e-9);
  EXPECT_NEAR(said("fp16x2_fma", "primitive", "flop/second", 256).at(0).share.value(), .5, 1e-9);
  EXPECT_NEAR(said("int32_mad", "primitive", "operation/second", 64).at(0).share.value(), .5, 1e-9);
  EXPECT_NEAR(said("", "gemm8", "operation/second", 4096).at(0).share.value(), .5, 1e-9);
  EXPECT_THAT(said("", "primitive", "operation/second", 64), IsEmpty()) << "sorted keys are no arithmetic";
  EXPECT_THAT(said("fp6_fma", "gemm64", "flop/second", 1).at(0).reason,
              HasSubstr("none is known of fp6_fma"));
}

// H800 and H20 are of 9.0 and do 1 TFLOP/s of fp64: 3% of a peak that they do not have.
TEST(JudgePhysical, CutFp64IsHeldAgainstNoPeak) {
  const auto said = [](const char* name, const char* metric_class) {
    result::Run run = product(metric_class, 1e12);
    for (result::Process& process : run.processes) process.samples->context["gpu.name"] = name;
    return judge_physical(run).back();
  };
  for (const char* cut : {"NVIDIA H800", "NVIDIA H20-3e"}) {
    const Verdict found = said(cut, "gemm64");
    EXPECT_EQ(found.kind, VerdictKind::inconclusive);
    EXPECT_TRUE(found.advisory);
    EXPECT_FALSE(found.share);
    EXPECT_THAT(found.reason, HasSubstr("has little of the fp64 of compute capability 9.0"));
    EXPECT_TRUE(said(cut, "gemm16").share);
  }
  for (const char* whole : {"NVIDIA H200", "NVIDIA H100 80GB HBM3"}) EXPECT_TRUE(said(whole, "gemm64").share);
}

TEST(Peak, OfAnInstructionLeavesTensorCoresOut) {
  EXPECT_EQ(instruction_peak("9.0", "fp64_fma")->operations_per_clock_per_sm, 128);
  EXPECT_EQ(instruction_peak("8.0", "fp64_fma")->operations_per_clock_per_sm, 64);
  EXPECT_EQ(instruction_peak("9.0", "fp32_fma")->operations_per_clock_per_sm, 256);
  EXPECT_EQ(instruction_peak("9.0", "fp64_mma_m8n8k4")->operations_per_clock_per_sm, 128);
  EXPECT_FALSE(instruction_peak("9.0", "fp64_mma_m8n8k4")->reached) << "seen on one model: no floor";
  EXPECT_EQ(instruction_peak("8.0", "fp64_mma_m8n8k4")->operations_per_clock_per_sm, 128)
      << "it has no other";
  EXPECT_FALSE(instruction_peak("10.3", "fp64_mma_m8n8k4"));
  EXPECT_FALSE(instruction_peak("10.0", "int32_mad"));
  EXPECT_FALSE(instruction_peak("9.0", "dp4a"));
  EXPECT_FALSE(instruction_peak("6.1", "fp64_fma"));
}

TEST(JudgePhysical, AShareThatTheInstructionCannotReachSaysWhichOneCan) {
  const auto said = [](const std::string& id, const std::string& capability) {
    return judge_physical(product("gemm16", 1e14, capability, id)).at(0).reason;
  };
  EXPECT_THAT(said("peak/bf16/mma_sync", "10.0"),
              HasSubstr("which mma.sync does not reach here and tcgen05 does"));
  EXPECT_THAT(said("gemm/bf16/mma_sync/4096x4096x4096", "9.0"),
              HasSubstr("which mma.sync does not reach here and wgmma does"));
  EXPECT_THAT(said("peak/bf16/mma_sync", "8.0"), Not(HasSubstr("mma.sync")));
  EXPECT_THAT(said("gemm/bf16/wgmma/4096x4096x4096", "9.0"), Not(HasSubstr("mma.sync")));
}

TEST(Products, Fp64IsAsFastByMmaSyncAsItGets) {
  EXPECT_EQ(faster_than_mma_sync("9.0", "gemm64", "peak/fp64/mma_sync"), "");
  EXPECT_EQ(faster_than_mma_sync("11.0", "fp8", "peak/fp8/mma_sync"), "tcgen05");
  EXPECT_EQ(faster_than_mma_sync("12.0", "fp8", "peak/fp8/mma_sync"), "");
}

}  // namespace
}  // namespace gpugauge::judge
