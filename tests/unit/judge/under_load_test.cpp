// A GPU without a baseline: what is far below what it can do is found, and what is legitimate fails nothing.
#include "judge/under_load.hpp"

#include <algorithm>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "one_gpu.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;

TEST(UnderLoad, AHealthyGpuPasses) {
  const auto verdicts = judged_gpu({});
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
  const OneGpu bad{.sm_clock = 6e8, .memory_clock = 1.5e9, .h2d = 1.3e9, .width = 4, .reasons = hw_thermal};
  for (const OneGpu& gpu : {OneGpu{}, bad}) {
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

TEST(UnderLoad, APowerCapLowersProductsAndFailsNothing) {
  // Half the clock and half the rate, with the reason that NVML gives.
  const auto verdicts = judged_gpu({.sm_clock = .9e9, .reasons = 4});
  for (const auto& [name, verdict] : verdicts) EXPECT_NE(verdict.kind, VerdictKind::failed) << verdict.reason;
  EXPECT_EQ(verdicts.at("gpu/bf16:throughput").kind, VerdictKind::ok);
  EXPECT_EQ(verdicts.at("clocks/sm").kind, VerdictKind::inconclusive);
  EXPECT_FALSE(verdicts.at("clocks/sm").advisory);
  EXPECT_THAT(verdicts.at("clocks/sm").reason, HasSubstr("NVML's reasons meanwhile: sw_power_cap"));
}

/// A GPU whose products run at 700 MHz while its copies run at the highest clock.
result::Run throttled_products(double reasons, const result::Facts& settings = {}) {
  result::Run run = OneGpu{.reasons = reasons}.run();
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

/// `clocks/sm` of a GPU that was measured in products alone.
Verdict in_products_alone(OneGpu gpu, const result::Facts& settings = {}) {
  gpu.hbm = gpu.h2d = 0;
  return verdict_on_gpu(gpu, "clocks/sm", settings);
}

TEST(UnderLoad, ABoardAtItsOwnPowerLimitInProductsAloneIsNeverCounted) {
  constexpr double cap = 4, applications_clocks = 2, hw_thermal = 0x40;
  const result::Facts own{{"gpu.0.power_limit_watt", "72"}, {"gpu.0.power_limit_default_watt", "72"}};
  const result::Facts lowered{{"gpu.0.power_limit_watt", "40"}, {"gpu.0.power_limit_default_watt", "72"}};
  const auto l4 = [](double clock, double reasons) {
    return OneGpu{.sm_clock = clock, .reasons = reasons, .name = "NVIDIA L4"};
  };
  for (const double clock : {.8e9, .4e9}) {
    const Verdict found = in_products_alone(l4(clock, cap), own);
    EXPECT_EQ(found.kind, VerdictKind::inconclusive) << found.reason;
    EXPECT_TRUE(found.advisory) << found.reason;
  }
  EXPECT_FALSE(in_products_alone(l4(.8e9, cap)).advisory) << "the limit is not known";
  EXPECT_EQ(in_products_alone(l4(.35e9, cap), own).kind, VerdictKind::failed) << "that is an idle clock";
  EXPECT_THAT(in_products_alone(l4(.8e9, cap), own).reason,
              HasSubstr("may run so by design, and no light work"));
  EXPECT_FALSE(in_products_alone(l4(.8e9, cap), lowered).advisory);
  EXPECT_FALSE(in_products_alone(l4(.8e9, cap + applications_clocks), own).advisory);
  EXPECT_FALSE(in_products_alone(l4(.8e9, cap + hw_thermal), own).advisory);
  EXPECT_EQ(in_products_alone(l4(.4e9, 0), own).kind, VerdictKind::failed) << "nothing explains it";
  EXPECT_EQ(in_products_alone({.sm_clock = .4e9, .reasons = cap}, own).kind, VerdictKind::failed)
      << "an H200 does better in products";
  EXPECT_FALSE(verdict_on_gpu(l4(.8e9, cap), "clocks/sm", own).advisory) << "light work ran so, too";
}

TEST(UnderLoad, AClockMayBeMeantUnlessHeatOrTheHardwareHeldIt) {
  constexpr double cap = 4, hw_thermal = 0x40;
  EXPECT_TRUE(verdict_on_gpu({.sm_clock = .9e9, .reasons = cap}, "clocks/sm").may_be_meant);
  EXPECT_FALSE(verdict_on_gpu({.sm_clock = .9e9, .reasons = cap + hw_thermal}, "clocks/sm").may_be_meant);
  EXPECT_FALSE(verdict_on_gpu({.width = 8}, "link/pcie").may_be_meant) << "GPU and slot can do 16";
  // The same with the limit lowered, on products.
  const auto capped = [](double reasons) {
    result::Run run = throttled_products(
        reasons, {{"gpu.0.power_limit_watt", "200"}, {"gpu.0.power_limit_default_watt", "700"}});
    for (const Verdict& verdict : judge_physical(run))
      if (verdict.metric == "clocks/sm_products") return verdict.may_be_meant;
    throw std::runtime_error("no verdict");
  };
  EXPECT_TRUE(capped(cap));
  EXPECT_FALSE(capped(cap + hw_thermal));
}

TEST(UnderLoad, ALimitOfAnotherGpuIsNotThisOnes) {
  result::Run run =
      throttled_products(4, {{"gpu.1.power_limit_watt", "200"}, {"gpu.1.power_limit_default_watt", "700"}});
  run.fingerprint.device["gpu.1.uuid"] = "GPU-1";
  EXPECT_TRUE(on_products(run).advisory);
}

TEST(UnderLoad, AGpuAtItsIdleClockFailsUnlessSomebodySetIt) {
  const OneGpu idle{.sm_clock = 345e6};
  const Verdict found = verdict_on_gpu(idle, "clocks/sm");
  EXPECT_EQ(found.kind, VerdictKind::failed);
  EXPECT_THAT(found.reason,
              HasSubstr("345 MHz at most under load, 17% of the highest (1980 MHz); NVML gives no"));
  EXPECT_THAT(
      found.reason,
      HasSubstr(
          "somebody may have locked: `for option in -rgc -rmc; do sudo nvidia-smi -i GPU-0 $option; done`"));
  const result::Facts whole{{"gpu.0.power_limit_watt", "700"}, {"gpu.0.power_limit_default_watt", "700"}};
  const result::Facts lowered{{"gpu.0.power_limit_watt", "200"}, {"gpu.0.power_limit_default_watt", "700"}};
  const auto inconclusive = [](const Verdict& verdict) {
    EXPECT_EQ(verdict.kind, VerdictKind::inconclusive) << verdict.reason;
    EXPECT_FALSE(verdict.advisory);
    return verdict.reason;
  };
  EXPECT_THAT(inconclusive(verdict_on_gpu(idle, "clocks/sm", lowered)),
              HasSubstr("the power limit was lowered to 200 W of 700 W"));
  EXPECT_THAT(inconclusive(verdict_on_gpu({.sm_clock = 345e6, .reasons = 2}, "clocks/sm", whole)),
              HasSubstr("application or locked clocks hold it"));
  EXPECT_THAT(inconclusive(verdict_on_gpu({.sm_clock = 345e6, .reasons = 4}, "clocks/sm")),
              HasSubstr("whether its limit was lowered is not known"));
  EXPECT_EQ(verdict_on_gpu({.sm_clock = 345e6, .reasons = 4}, "clocks/sm", whole).kind, VerdictKind::failed)
      << "no board has a limit of its own that holds it there";
  EXPECT_EQ(verdict_on_gpu({.sm_clock = 345e6, .reasons = 0x80}, "clocks/sm", whole).kind,
            VerdictKind::failed)
      << "a power brake";
  for (const OneGpu& part :
       {OneGpu{.sm_clock = 345e6, .name = "NVIDIA A40-12Q"}, OneGpu{.sm_clock = 345e6, .mig = "on"}}) {
    EXPECT_EQ(verdict_on_gpu(part, "clocks/sm").kind, VerdictKind::inconclusive);
    EXPECT_TRUE(verdict_on_gpu(part, "clocks/sm").advisory);
  }
  result::Run silent = idle.run();
  std::erase_if(silent.telemetry, [](const auto& series) { return series.name == "throttle_reasons"; });
  for (const Verdict& verdict : judge_physical(silent)) {
    if (verdict.metric != "clocks/sm") continue;
    EXPECT_THAT(inconclusive(verdict), HasSubstr("NVML gave no reasons"));
  }
}

TEST(UnderLoad, ClocksThatWereSetAreInDoubtWhereTheyAreClearlyBelowTheHighest) {
  constexpr double applications_clocks = 2, cap = 4;
  const OneGpu locked{.sm_clock = 1.188e9, .reasons = applications_clocks, .name = "NVIDIA L40S"};
  const Verdict found = verdict_on_gpu(locked, "clocks/sm");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_TRUE(found.may_be_meant);
  EXPECT_EQ(found.reason,
            "an SM clock of 1188 MHz at most under load, 60% of the highest (1980 MHz); NVML's reasons "
            "meanwhile: applications_clocks; application or locked clocks hold it: `for option in -rac -rgc "
            "-rmc; do sudo nvidia-smi -i GPU-0 $option; done` resets them");
  const auto kind = [](const OneGpu& gpu, const result::Facts& settings = {}) {
    return verdict_on_gpu(gpu, "clocks/sm", settings).kind;
  };
  OneGpu other = locked;
  other.reasons = cap;
  EXPECT_EQ(kind(other), VerdictKind::ok) << "power holds it";
  other = locked;
  other.mig = "on";
  EXPECT_TRUE(verdict_on_gpu(other, "clocks/sm").advisory);
  for (const double hertz : {1.98e9, 1.9e9}) {
    other = locked;
    other.sm_clock = hertz;
    EXPECT_EQ(kind(other), VerdictKind::ok) << hertz;
  }
  const auto application = [](const char* set, const char* standard) {
    return result::Facts{{"gpu.0.sm_clock_application_mhz", set},
                         {"gpu.0.sm_clock_application_default_mhz", standard}};
  };
  EXPECT_EQ(kind(locked, application("1188", "1188")), VerdictKind::ok) << "the board's own default";
  EXPECT_EQ(kind(locked, application("1188", "1980")), VerdictKind::inconclusive);
  EXPECT_EQ(kind(locked, application("1980", "1980")), VerdictKind::inconclusive)
      << "locked: nvidia-smi -lgc";
  EXPECT_EQ(kind(locked, application("unknown", "1188")), VerdictKind::inconclusive);
}

TEST(UnderLoad, AKnownModelIsHeldAgainstItsOwnClockInLightWork) {
  constexpr double cap = 4, sw_thermal = 0x20;
  const OneGpu locked{.sm_clock = 1.188e9};
  const Verdict found = verdict_on_gpu(locked, "clocks/sm");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_TRUE(found.may_be_meant);
  EXPECT_EQ(
      found.reason,
      "an SM clock of 1188 MHz at most under load, 60% of the highest (1980 MHz); in light work, such as "
      "copies and launches, NVIDIA H200 was recorded at 1975 MHz (baselines/NVIDIA H200/run/run.json); "
      "NVML gives no reason for it; clocks that were locked explain it, a fault does, too");
  const auto kind = [](const OneGpu& gpu) { return verdict_on_gpu(gpu, "clocks/sm").kind; };
  EXPECT_EQ(kind({.sm_clock = 1.89e9}), VerdictKind::ok) << "within 5%";
  EXPECT_EQ(kind({.sm_clock = 1.188e9, .h2d = 0}), VerdictKind::ok) << "no light work: power may hold it";
  EXPECT_EQ(kind({.sm_clock = 1.188e9, .reasons = cap}), VerdictKind::ok);
  EXPECT_EQ(kind({.sm_clock = 1.188e9, .reasons = sw_thermal}), VerdictKind::ok)
      << "clocks/throttled says it";
  for (const char* const other : {"NVIDIA H200 NVL", "NVIDIA H100 PCIe", "NVIDIA L40S"})
    EXPECT_EQ(kind({.sm_clock = 1.188e9, .name = other}), VerdictKind::ok) << other;
}

TEST(UnderLoad, AMemoryClockBelowTheModelsIsSaidAndAnIdleOneIsNot) {
  const Verdict found = judged_gpu({.memory_clock = 2.6e9, .reasons = 0x40}).at("clocks/memory");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_THAT(found.reason, HasSubstr("hw_thermal"));
  EXPECT_EQ(judged_gpu({.memory_clock = 1.6e9, .reasons = 0x40}).at("clocks/memory").kind,
            VerdictKind::failed);
  EXPECT_EQ(judged_gpu({.memory_clock = 1.6e9, .reasons = 2}).at("clocks/memory").kind,
            VerdictKind::inconclusive)
      << "somebody set it";
  EXPECT_EQ(judged_gpu({.memory_clock = 3.05e9}).at("clocks/memory").kind, VerdictKind::ok)
      << "P2 of GeForce";
  EXPECT_FALSE(judged_gpu({.memory_clock = 4e8, .hbm = 0}).contains("clocks/memory"))
      << "no load of the memory";
  const auto low = judged_gpu({.memory_clock = 8e8, .hbm = 1e12});
  EXPECT_EQ(low.at("gpu/read:bandwidth").kind, VerdictKind::ok) << "the clock is what is low";
  EXPECT_EQ(low.at("clocks/memory").kind, VerdictKind::failed);
  // All samples outside the processes: the GPU idled.
  result::Run run = OneGpu{.memory_clock = 4e8, .generation = 1}.run();
  for (result::Series& series : run.telemetry) series.seconds = {50, 51, 52, 53};
  for (const Verdict& verdict : judge_physical(run)) {
    EXPECT_NE(verdict.metric, "clocks/memory");
    EXPECT_NE(verdict.metric, "link/pcie");
  }
}

TEST(UnderLoad, TelemetryBelongsToTheProcessesOfItsOwnRound) {
  result::Run idle = OneGpu{.memory_clock = 4e8, .generation = 1}.run();
  for (result::Series& series : idle.telemetry) series.seconds = {50, 51, 52, 53};
  result::Run later = OneGpu{}.run();
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
  const std::vector<Verdict> found = judge_physical(std::vector{idle, OneGpu{.memory_clock = 1.6e9}.run()});
  const auto clock = std::find_if(found.begin(), found.end(),
                                  [](const Verdict& verdict) { return verdict.metric == "clocks/memory"; });
  ASSERT_NE(clock, found.end());
  EXPECT_THAT(clock->reason, HasSubstr("1600 MHz at most under load"));
}

}  // namespace
}  // namespace gpugauge::judge
