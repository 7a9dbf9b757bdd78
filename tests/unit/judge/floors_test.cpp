// What is far below its limit fails without a baseline; what is legitimately slow does not.
#include "judge/floors.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "judge/peaks.hpp"
#include "one_gpu.hpp"

namespace gpugauge::judge {
namespace {

using result::Direction;
using ::testing::HasSubstr;

TEST(Floors, MemoryAtATenthOfItsBusFails) {
  const Verdict found = judged_gpu({.hbm = 4.9e11}).at("gpu/read:bandwidth");
  EXPECT_EQ(found.kind, VerdictKind::failed);
  EXPECT_THAT(found.reason, HasSubstr("10% of the limit, and a healthy machine reaches at least 60%"));
  EXPECT_EQ(judged_gpu({.hbm = 2.2e12}).at("gpu/read:bandwidth").kind, VerdictKind::failed)
      << "half of what it does";
  EXPECT_EQ(judged_gpu({.hbm = 3.1e12}).at("gpu/read:bandwidth").kind, VerdictKind::ok);
  EXPECT_EQ(judged_gpu({.hbm = 4.9e11, .saturating = false}).at("gpu/read:bandwidth").kind, VerdictKind::ok);
}

TEST(Floors, ASliceOfACardHasNoFloor) {
  for (const char* name : {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", "NVIDIA A40-12Q", "GRID A100D-10C"})
    EXPECT_EQ(judged_gpu({.hbm = 4.9e11, .name = name}).at("gpu/read:bandwidth").kind, VerdictKind::ok)
        << name;
  EXPECT_EQ(judged_gpu({.hbm = 4.9e11, .mig = "on"}).at("gpu/read:bandwidth").kind, VerdictKind::ok);
  const auto beside_slices = [](const result::Facts& settings) {
    return verdict_on_gpu({.hbm = 4.9e11}, "gpu/read:bandwidth", settings).kind;
  };
  EXPECT_EQ(beside_slices({{"gpu.1.mig", "on"}}), VerdictKind::failed) << "another GPU is cut up";
  EXPECT_EQ(beside_slices({{"gpu.0.mig", "on"}}), VerdictKind::ok);
  EXPECT_FALSE(shared_card("NVIDIA A100-SXM4-80GB"));
  EXPECT_FALSE(shared_card("NVIDIA H100 NVL"));
}

TEST(Floors, HalfOfWhatALargeProductDoesFails) {
  // What an H100 was recorded to do, and half of it.
  for (const auto& [metric_class, most, share] : {std::tuple("gemm16", 4096., .92),
                                                  {"gemmtf32", 2048., .93},
                                                  {"gemm32", 256., .77},
                                                  {"gemm8", 8192., .92}}) {
    OneGpu gpu;
    const auto kind = [&gpu, name = metric_class, rate = share * most](double part) {
      gpu.products = {{"gpu/x", name, part * rate * 132 * 1.755e9}};
      return judged_gpu(gpu).at("gpu/x:throughput").kind;
    };
    EXPECT_EQ(kind(1), VerdictKind::ok) << metric_class;
    EXPECT_EQ(kind(.5), VerdictKind::failed) << metric_class;
    EXPECT_EQ(kind(.8), VerdictKind::ok) << metric_class;
  }
}

TEST(Floors, AProductAtAThirdOfItsPeakFailsWhereItIsLargeAndDeclared) {
  OneGpu gpu;
  gpu.products = {{"gpu/fp32", "gemm32", .3 * 256 * 132 * 1.755e9}};
  const Verdict found = judged_gpu(gpu).at("gpu/fp32:throughput");
  EXPECT_EQ(found.kind, VerdictKind::failed);
  EXPECT_THAT(found.reason, HasSubstr("30% of the peak at the clock that it had"));
  gpu.work = 1.7e10;
  EXPECT_EQ(judged_gpu(gpu).at("gpu/fp32:throughput").kind, VerdictKind::ok) << "2048x2048x2048";
  gpu.work = 1.1e12;
  gpu.saturating = false;
  EXPECT_EQ(judged_gpu(gpu).at("gpu/fp32:throughput").kind, VerdictKind::ok);
}

/// Whether the definition bench/peak/<file> of this variant says .saturating().
bool declared_saturating(const std::string& file, const std::string& variant) {
  std::ifstream stream(std::string(GPUGAUGE_SOURCE_DIR) + "/bench/peak/" + file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::size_t at = text.find(".variant(\"" + variant + "\")");
  if (at == std::string::npos) throw std::runtime_error(file + " has no variant " + variant);
  return text.substr(at, text.find(".body(", at) - at).find(".saturating()") != std::string::npos;
}

/// A benchmark of the family peak as its definition declares it, at a share of what an SM can do.
Verdict of_peak(const std::string& file, const std::string& variant, const std::string& metric_class,
                double operations, const std::string& capability = "9.0", const char* instruction = "") {
  result::Run run = make_run(1);
  const std::string id = "peak/" + file.substr(0, file.find('.')) + "/" + variant;
  for (result::Process& process : run.processes) {
    process.family = process.samples->family = "peak";
    process.samples->context = {
        {"gpu.name", "NVIDIA H200"}, {"gpu.compute_capability", capability}, {"gpu.sm_count", "132"}};
    process.samples->benchmarks = {benchmark(
        id, metric("throughput", "flop/second", Direction::higher, metric_class, operations * 132 * 1.7e9))};
    result::BenchmarkResult& made = process.samples->benchmarks[0];
    made.batches.sm_clock_hz = {1.7e9};
    // Eight chains of 4096 steps in each of 256 threads of 8 blocks an SM: less than a large product.
    made.work.flops = 2. * 8 * 4096 * 1056 * 256;
    if (*instruction != '\0') made.notes["instruction"] = instruction;
    if (declared_saturating(file, variant)) made.notes["saturating"] = "true";
  }
  for (Verdict& verdict : judge_physical(run))
    if (verdict.metric == id + ":throughput") return verdict;
  throw std::runtime_error("no verdict");
}

TEST(Floors, AnInstructionFromRegistersFarBelowItsPeakFails) {
  const Verdict found = of_peak("fp32.cpp", "fma", "gemm32", .3 * 256, "9.0", "fp32_fma");
  EXPECT_EQ(found.kind, VerdictKind::failed);
  EXPECT_THAT(found.reason, HasSubstr("30% of the peak at the clock that it had"));
  EXPECT_EQ(of_peak("fp32.cpp", "fma", "gemm32", .97 * 256, "9.0", "fp32_fma").kind, VerdictKind::ok);
  for (const char* file : {"bf16.cpp", "fp16.cpp"})
    for (const char* variant : {"wgmma", "mma_sync"})
      EXPECT_EQ(of_peak(file, variant, "gemm16", .15 * 4096).kind, VerdictKind::failed) << file << variant;
  EXPECT_EQ(of_peak("tf32.cpp", "wgmma", "gemmtf32", .15 * 2048).kind, VerdictKind::failed);
  EXPECT_EQ(of_peak("fp8.cpp", "wgmma", "gemm8", .15 * 8192).kind, VerdictKind::failed);
  EXPECT_EQ(of_peak("bf16.cpp", "mma_sync", "gemm16", .3 * 2048, "8.0").kind, VerdictKind::failed);
  // Half of what was recorded.
  EXPECT_EQ(of_peak("bf16.cpp", "wgmma", "gemm16", .497 * 4096).kind, VerdictKind::failed);
  EXPECT_EQ(of_peak("bf16.cpp", "mma_sync", "gemm16", .33 * 4096).kind, VerdictKind::failed);
  EXPECT_EQ(of_peak("fp32.cpp", "fma", "gemm32", .49 * 256, "9.0", "fp32_fma").kind, VerdictKind::failed);
}

TEST(Floors, AnInstructionThatIsNotTheFastOneOfItsGpuHasNoFloor) {
  EXPECT_EQ(of_peak("bf16.cpp", "mma_sync", "gemm16", .6 * 4096).kind, VerdictKind::ok)
      << "9.0: public figure";
  EXPECT_EQ(of_peak("fp8.cpp", "mma_sync", "gemm8", .25 * 8192).kind, VerdictKind::ok) << "made of fp16";
  EXPECT_EQ(of_peak("bf16.cpp", "mma_sync", "gemm16", .12 * 8192, "10.0").kind, VerdictKind::ok);
  EXPECT_EQ(of_peak("fp32.cpp", "fma", "gemm32", .3 * 256, "12.0", "fp32_fma").kind, VerdictKind::ok)
      << "no public figure of 12.0";
}

}  // namespace
}  // namespace gpugauge::judge
