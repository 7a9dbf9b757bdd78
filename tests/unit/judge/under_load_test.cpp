// A GPU without a baseline: what is far below what it can do is found, and what is legitimate fails nothing.
#include "judge/under_load.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "judge/peaks.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using result::Direction;
using ::testing::HasSubstr;

struct Product {
  const char* id;
  const char* metric_class;
  double flops;           ///< a second
  const char* path = "";  ///< note kernel_path
};

/// One H200 as it was publicly measured, its large benchmarks declared saturating.
struct Gpu {
  double sm_clock = 1.755e9, memory_clock = 3.201e9, hbm = 4.4e12, h2d = 5.5e10;
  double generation = 5, width = 16;
  double reasons = 0;
  double work = 1.1e12;
  bool saturating = true;
  std::string name = "NVIDIA H200", mig = "off";
  std::vector<Product> products{{"gpu/bf16", "gemm16", 6.4e14},
                                {"gpu/tf32", "gemmtf32", 3.6e14},
                                {"gpu/fp8", "gemm8", 1.1e15},
                                {"gpu/fp32", "gemm32", 4.6e13}};

  result::Run run() const {
    result::Run out = make_run(1);
    out.device = "GPU-0";
    out.fingerprint.settings["gpu.0.mig"] = mig;
    const auto series = [&](const char* series_name, double value) {
      out.telemetry.push_back({"gpu:GPU-0", series_name, "1", {1, 2, 3, 4}, {value, value, value, value}});
    };
    series("memory_clock_hz", memory_clock);
    series("pcie_generation", generation);
    series("pcie_width", width);
    series("pcie_generation_max", 5);
    series("pcie_width_max", 16);
    series("throttle_reasons", reasons);
    for (result::Process& process : out.processes) {
      process.family = process.samples->family = "gpu";
      process.wall_seconds = 5;
      process.samples->context = {{"gpu.name", name},
                                  {"gpu.compute_capability", "9.0"},
                                  {"gpu.sm_count", "132"},
                                  {"gpu.sm_clock_max_hz", "1980000000"},
                                  {"gpu.memory_clock_max_hz", "3201000000"},
                                  {"gpu.memory_bus_bits", "6144"}};
      process.samples->benchmarks.clear();
      const auto add = [&](const char* id, const result::Metric& metric) -> result::BenchmarkResult& {
        result::BenchmarkResult made = benchmark(id, metric);
        made.batches.sm_clock_hz = {sm_clock};
        if (saturating) made.notes["saturating"] = "true";
        process.samples->benchmarks.push_back(made);
        return process.samples->benchmarks.back();
      };
      for (const Product& product : products) {
        auto& made = add(product.id, metric("throughput", "flop/second", Direction::higher,
                                            product.metric_class, product.flops * sm_clock / 1.755e9));
        made.work.flops = work;
        if (*product.path != '\0') made.notes["kernel_path"] = product.path;
      }
      if (hbm > 0) add("gpu/read", metric("bandwidth", "byte/second", Direction::higher, "hbm", hbm));
      if (h2d > 0)
        add("gpu/h2d", metric("bandwidth", "byte/second", Direction::higher, "h2d", h2d)).work.bytes = 6.7e7;
    }
    return out;
  }
};

std::map<std::string, Verdict> judged(const Gpu& gpu) {
  std::map<std::string, Verdict> out;
  for (Verdict& verdict : judge_physical(gpu.run())) out.emplace(verdict.metric, verdict);
  return out;
}

TEST(UnderLoad, AHealthyGpuPasses) {
  const auto verdicts = judged({});
  for (const auto& [name, verdict] : verdicts) EXPECT_EQ(verdict.kind, VerdictKind::ok) << verdict.reason;
  for (const char* name :
       {"clocks/sm", "clocks/sm_products", "clocks/memory", "link/pcie", "gpu/read:bandwidth",
        "gpu/bf16:throughput", "gpu/h2d:bandwidth", "tensor_cores/fp8"})
    EXPECT_TRUE(verdicts.contains(name)) << name;
}

/// NVML shows every GPU of the node to each run: the others' idle clocks and links are not this one's.
result::Run on_a_node_of_eight(result::Run run) {
  const std::vector<result::Series> own = run.telemetry;
  for (int gpu = 1; gpu < 8; ++gpu)
    for (const result::Series& series : own) {
      result::Series other = series;
      other.source = "gpu:GPU-" + std::to_string(gpu);
      std::fill(other.values.begin(), other.values.end(), series.name == "throttle_reasons" ? 0 : 1);
      run.telemetry.insert(run.telemetry.begin(), std::move(other));
    }
  return run;
}

TEST(UnderLoad, OneGpuOfEightIsJudgedAsAnOnlyOne) {
  constexpr double hw_thermal = 64;
  const Gpu bad{.sm_clock = 6e8, .memory_clock = 1.5e9, .h2d = 1.3e9, .width = 4, .reasons = hw_thermal};
  for (const Gpu& gpu : {Gpu{}, bad}) {
    const std::vector<Verdict> alone = judge_physical(gpu.run());
    const std::vector<Verdict> among = judge_physical(on_a_node_of_eight(gpu.run()));
    ASSERT_EQ(alone.size(), among.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(alone[i].metric, among[i].metric);
      EXPECT_EQ(alone[i].kind, among[i].kind) << alone[i].metric;
      EXPECT_EQ(alone[i].advisory, among[i].advisory) << alone[i].metric;
      EXPECT_EQ(alone[i].reason, among[i].reason);
    }
  }
}

TEST(UnderLoad, MemoryAtATenthOfItsBusFails) {
  const Verdict found = judged({.hbm = 4.9e11}).at("gpu/read:bandwidth");
  EXPECT_EQ(found.kind, VerdictKind::failed);
  EXPECT_THAT(found.reason, HasSubstr("10% of the limit, and a healthy machine reaches at least 40%"));
  EXPECT_EQ(judged({.hbm = 4.9e11, .saturating = false}).at("gpu/read:bandwidth").kind, VerdictKind::ok);
}

TEST(UnderLoad, ASliceOfACardHasNoFloor) {
  for (const char* name : {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", "NVIDIA A40-12Q", "GRID A100D-10C"})
    EXPECT_EQ(judged({.hbm = 4.9e11, .name = name}).at("gpu/read:bandwidth").kind, VerdictKind::ok) << name;
  EXPECT_EQ(judged({.hbm = 4.9e11, .mig = "on"}).at("gpu/read:bandwidth").kind, VerdictKind::ok);
  EXPECT_FALSE(shared_card("NVIDIA A100-SXM4-80GB"));
  EXPECT_FALSE(shared_card("NVIDIA H100 NVL"));
}

TEST(UnderLoad, AProductAtAThirdOfItsPeakFailsWhereItIsLargeAndDeclared) {
  Gpu gpu;
  gpu.products = {{"gpu/fp32", "gemm32", .3 * 256 * 132 * 1.755e9}};
  const Verdict found = judged(gpu).at("gpu/fp32:throughput");
  EXPECT_EQ(found.kind, VerdictKind::failed);
  EXPECT_THAT(found.reason, HasSubstr("30% of the peak at the clock that it had"));
  gpu.work = 1.7e10;
  EXPECT_EQ(judged(gpu).at("gpu/fp32:throughput").kind, VerdictKind::ok) << "2048x2048x2048";
  gpu.work = 1.1e12;
  gpu.saturating = false;
  EXPECT_EQ(judged(gpu).at("gpu/fp32:throughput").kind, VerdictKind::ok);
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

TEST(UnderLoad, AnInstructionFromRegistersFarBelowItsPeakFails) {
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
}

TEST(UnderLoad, AnInstructionThatIsNotTheFastOneOfItsGpuHasNoFloor) {
  EXPECT_EQ(of_peak("bf16.cpp", "mma_sync", "gemm16", .6 * 4096).kind, VerdictKind::ok)
      << "9.0: public figure";
  EXPECT_EQ(of_peak("fp8.cpp", "mma_sync", "gemm8", .25 * 8192).kind, VerdictKind::ok) << "made of fp16";
  EXPECT_EQ(of_peak("bf16.cpp", "mma_sync", "gemm16", .12 * 8192, "10.0").kind, VerdictKind::ok);
  EXPECT_EQ(of_peak("fp32.cpp", "fma", "gemm32", .3 * 256, "12.0", "fp32_fma").kind, VerdictKind::ok)
      << "no public figure of 12.0";
}

TEST(UnderLoad, APowerCapLowersProductsAndFailsNothing) {
  // Half the clock and half the rate, with the reason that NVML gives.
  const auto verdicts = judged({.sm_clock = .9e9, .reasons = 4});
  for (const auto& [name, verdict] : verdicts) EXPECT_NE(verdict.kind, VerdictKind::failed) << verdict.reason;
  EXPECT_EQ(verdicts.at("gpu/bf16:throughput").kind, VerdictKind::ok);
  EXPECT_EQ(verdicts.at("clocks/sm").kind, VerdictKind::inconclusive);
  EXPECT_FALSE(verdicts.at("clocks/sm").advisory);
  EXPECT_THAT(verdicts.at("clocks/sm").reason, HasSubstr("NVML's reasons meanwhile: sw_power_cap"));
}

/// A GPU whose products run at 700 MHz while its copies run at the highest clock.
result::Run throttled_products(double reasons, const result::Facts& settings = {}) {
  result::Run run = Gpu{.reasons = reasons}.run();
  run.fingerprint.device["gpu.0.uuid"] = "GPU-0";
  for (const auto& [key, value] : settings) run.fingerprint.settings[key] = value;
  change(run, "gpu/bf16", [](result::BenchmarkResult& found) {
    found.metrics[0].value *= .4;
    found.batches.sm_clock_hz = {.7e9};
  });
  change(run, "gpu/read", [](result::BenchmarkResult& found) { found.batches.sm_clock_hz = {1.98e9}; });
  return run;
}

Verdict on_products(const result::Run& run) {
  for (const Verdict& verdict : judge_physical(run)) {
    EXPECT_NE(verdict.kind, VerdictKind::failed) << verdict.metric << ": " << verdict.reason;
    EXPECT_TRUE(verdict.metric != "clocks/sm" || verdict.kind == VerdictKind::ok) << "light kernels hide it";
  }
  for (Verdict& verdict : judge_physical(run))
    if (verdict.metric == "clocks/sm_products") return verdict;
  throw std::runtime_error("no verdict");
}

TEST(UnderLoad, ProductsThatAreThrottledAreSaidBesideLightKernelsAtFullClock) {
  const Verdict found = on_products(
      throttled_products(4, {{"gpu.0.power_limit_watt", "200"}, {"gpu.0.power_limit_default_watt", "700"}}));
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory) << "somebody lowered the limit";
  EXPECT_EQ(found.reason,
            "an SM clock of 700 MHz in gpu/bf16, 35% of the highest (1980 MHz); NVML's reasons meanwhile: "
            "sw_power_cap; power limit 200 W of 700 W by default; the limit was lowered");
}

TEST(UnderLoad, AProductAtTheBoardsOwnPowerLimitIsNeverCounted) {
  // A 70 W card runs products at a third of its clock by design.
  const Verdict found = on_products(
      throttled_products(4, {{"gpu.0.power_limit_watt", "70"}, {"gpu.0.power_limit_default_watt", "70"}}));
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_TRUE(found.advisory);
  EXPECT_THAT(found.reason, HasSubstr("a board at its own power limit may run so by design"));
  EXPECT_TRUE(on_products(throttled_products(4)).advisory) << "limits not known";
  EXPECT_FALSE(on_products(throttled_products(4 | 0x40)).advisory) << "heat";
  EXPECT_THAT(on_products(throttled_products(0x40)).reason, HasSubstr("heat or the hardware itself"));
}

TEST(UnderLoad, ALimitOfAnotherGpuIsNotThisOnes) {
  result::Run run =
      throttled_products(4, {{"gpu.1.power_limit_watt", "200"}, {"gpu.1.power_limit_default_watt", "700"}});
  run.fingerprint.device["gpu.1.uuid"] = "GPU-1";
  EXPECT_TRUE(on_products(run).advisory);
}

TEST(UnderLoad, AGpuAtItsIdleClockIsSaid) {
  const Verdict found = judged({.sm_clock = 345e6}).at("clocks/sm");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_THAT(found.reason,
              HasSubstr("345 MHz at most under load, 17% of the highest (1980 MHz); NVML gives no"));
}

TEST(UnderLoad, AMemoryClockBelowTheModelsIsSaidAndAnIdleOneIsNot) {
  const Verdict found = judged({.memory_clock = 1.6e9, .reasons = 0x40}).at("clocks/memory");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_THAT(found.reason, HasSubstr("hw_thermal"));
  EXPECT_EQ(judged({.memory_clock = 3.05e9}).at("clocks/memory").kind, VerdictKind::ok) << "P2 of GeForce";
  EXPECT_FALSE(judged({.memory_clock = 4e8, .hbm = 0}).contains("clocks/memory")) << "no load of the memory";
  const auto low = judged({.memory_clock = 8e8, .hbm = 1e12});
  EXPECT_EQ(low.at("gpu/read:bandwidth").kind, VerdictKind::ok) << "the clock is what is low";
  EXPECT_EQ(low.at("clocks/memory").kind, VerdictKind::inconclusive);
  // All samples outside the processes: the GPU idled.
  result::Run run = Gpu{.memory_clock = 4e8, .generation = 1}.run();
  for (result::Series& series : run.telemetry) series.seconds = {50, 51, 52, 53};
  for (const Verdict& verdict : judge_physical(run)) {
    EXPECT_NE(verdict.metric, "clocks/memory");
    EXPECT_NE(verdict.metric, "link/pcie");
  }
}

TEST(UnderLoad, TelemetryBelongsToTheProcessesOfItsOwnRound) {
  result::Run idle = Gpu{.memory_clock = 4e8, .generation = 1}.run();
  for (result::Series& series : idle.telemetry) series.seconds = {50, 51, 52, 53};
  result::Run later = Gpu{}.run();
  later.telemetry.clear();
  for (result::Process& process : later.processes) {
    process.start_seconds = 49;
    process.wall_seconds = 10;
  }
  for (const Verdict& verdict : judge_physical(std::vector{idle, later})) {
    EXPECT_NE(verdict.metric, "clocks/memory");
    EXPECT_NE(verdict.metric, "link/pcie");
  }
  // What the second round itself saw counts.
  const std::vector<Verdict> found = judge_physical(std::vector{idle, Gpu{.memory_clock = 1.6e9}.run()});
  const auto clock = std::find_if(found.begin(), found.end(),
                                  [](const Verdict& verdict) { return verdict.metric == "clocks/memory"; });
  ASSERT_NE(clock, found.end());
  EXPECT_THAT(clock->reason, HasSubstr("1600 MHz at most under load"));
}

TEST(UnderLoad, ALinkBelowWhatGpuAndSlotCanDoIsSaid) {
  const auto slow = judged({.h2d = 1.3e10, .generation = 3});
  EXPECT_EQ(slow.at("link/pcie").kind, VerdictKind::inconclusive);
  EXPECT_FALSE(slow.at("link/pcie").advisory);
  EXPECT_DOUBLE_EQ(slow.at("link/pcie").share.value(), .25);
  EXPECT_THAT(slow.at("link/pcie").reason, HasSubstr("generation 3 x16 at most while copies ran, of 5 x16"));
  EXPECT_EQ(judged({.h2d = 2.6e10, .width = 8}).at("link/pcie").kind, VerdictKind::inconclusive);
  EXPECT_FALSE(judged({.h2d = 0, .generation = 1}).contains("link/pcie"));
}

TEST(UnderLoad, ACopyFarBelowItsLinkIsCountedAndFailsNothing) {
  const Verdict found = judged({.h2d = 8e9}).at("gpu/h2d:bandwidth");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_THAT(found.reason, HasSubstr("13% of the link"));
  EXPECT_EQ(judged({.h2d = 8e9, .saturating = false}).at("gpu/h2d:bandwidth").kind, VerdictKind::ok);
}

TEST(TensorCoreWitnesses, Fp8AtTheSpeedOfBf16Disagrees) {
  Gpu gpu;
  gpu.products[2].flops = 6.4e14;
  const Verdict found = judged(gpu).at("tensor_cores/fp8");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_THAT(found.reason, HasSubstr("witnesses disagree: the ratio is 1.0 times gemm16 (gpu/bf16) a clock "
                                      "where the peaks are 2 to 1"));
}

TEST(TensorCoreWitnesses, AnFp32ProductOnTensorCoresDisagreesWithTheRatio) {
  Gpu gpu;
  gpu.work = 2e10;
  gpu.products[3].flops = 3e14;
  EXPECT_THAT(judged(gpu).at("tensor_cores/gemm16").reason, HasSubstr("witnesses disagree: the ratio is"));
}

TEST(TensorCoreWitnesses, ASimtNameBesideAHighRateDisagrees) {
  Gpu gpu;
  gpu.products[0].path = "simt";
  const auto verdicts = judged(gpu);
  EXPECT_EQ(verdicts.at("tensor_cores/gemm16").kind, VerdictKind::inconclusive);
  EXPECT_THAT(verdicts.at("tensor_cores/gemm16").reason,
              HasSubstr("witnesses disagree: gpu/bf16 ran without Tensor Cores by its notes (kernel without "
                        "Tensor Cores) and is faster than CUDA cores can be"));
  gpu.products[0].path = "tensor";
  EXPECT_EQ(judged(gpu).at("tensor_cores/gemm16").kind, VerdictKind::ok);
}

TEST(TensorCoreWitnesses, ThrottlingOfOneClassIsNoDisagreement) {
  // Power slows fp8 to six tenths of the clock; a clock it is as fast as ever.
  Gpu gpu;
  result::Run run = gpu.run();
  change(run, "gpu/fp8", [](result::BenchmarkResult& found) {
    found.metrics[0].value *= .6;
    found.batches.sm_clock_hz = {.6 * 1.755e9};
  });
  for (const Verdict& verdict : judge_physical(run))
    EXPECT_EQ(verdict.kind, VerdictKind::ok) << verdict.metric << ": " << verdict.reason;
}

}  // namespace
}  // namespace gpugauge::judge
