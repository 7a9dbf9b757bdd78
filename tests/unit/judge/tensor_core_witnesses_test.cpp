// Witnesses of the Tensor Core proof beside each other on one GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "judge/tensor_cores.hpp"
#include "one_gpu.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;

TEST(TensorCoreWitnesses, Fp8AtTheSpeedOfBf16Disagrees) {
  OneGpu gpu;
  gpu.products[2].flops = 6.4e14;
  const Verdict found = judged_gpu(gpu).at("tensor_cores/fp8");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_THAT(found.reason, HasSubstr("witnesses disagree: the ratio is 1.0 times gemm16 (gpu/bf16) a clock "
                                      "where the peaks are 2 to 1"));
}

TEST(TensorCoreWitnesses, AnFp32ProductOnTensorCoresDisagreesWithTheRatio) {
  OneGpu gpu;
  gpu.work = 2e10;
  gpu.products[3].flops = 3e14;
  EXPECT_THAT(judged_gpu(gpu).at("tensor_cores/gemm16").reason,
              HasSubstr("witnesses disagree: the ratio is"));
}

TEST(TensorCoreWitnesses, ASimtNameBesideAHighRateDisagrees) {
  OneGpu gpu;
  gpu.products[0].path = "simt";
  const auto verdicts = judged_gpu(gpu);
  EXPECT_EQ(verdicts.at("tensor_cores/gemm16").kind, VerdictKind::inconclusive);
  EXPECT_THAT(verdicts.at("tensor_cores/gemm16").reason,
              HasSubstr("witnesses disagree: gpu/bf16 ran without Tensor Cores by its notes (kernel without "
                        "Tensor Cores) and is faster than CUDA cores can be"));
  gpu.products[0].path = "tensor";
  EXPECT_EQ(judged_gpu(gpu).at("tensor_cores/gemm16").kind, VerdictKind::ok);
}

TEST(TensorCoreWitnesses, ThrottlingOfOneClassIsNoDisagreement) {
  // Power slows fp8 to six tenths of the clock; a clock it is as fast as ever.
  OneGpu gpu;
  result::Run run = gpu.run();
  change(run, "gpu/fp8", [](result::BenchmarkResult& found) {
    found.metrics[0].value *= .6;
    found.batches.sm_clock_hz = {.6 * 1.755e9};
  });
  const auto verdicts = judge_physical(run);
  ASSERT_FALSE(verdicts.empty());
  for (const Verdict& verdict : verdicts)
    EXPECT_EQ(verdict.kind, VerdictKind::ok) << verdict.metric << ": " << verdict.reason;
}

}  // namespace
}  // namespace gpugauge::judge
