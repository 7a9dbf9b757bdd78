// Each mechanism in several people's words: made-up reports that share a mechanism and no wording, and beside
// them one that lacks the deciding fact.
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"

namespace gpugauge::diagnose {
namespace {

/// A made-up report and the best finding's cause; "" where nothing may be named.
struct Told {
  const char* cause;
  const char* text;
};

Diagnosis diagnosis_of(const char* text) {
  return diagnose(parse_observation(text, "reworded"));
}

void expect_all(std::initializer_list<Told> reports) {
  for (const Told& report : reports) {
    const Diagnosis diagnosis = diagnosis_of(report.text);
    const std::string best = diagnosis.findings.empty() ? "" : diagnosis.findings.front().cause;
    EXPECT_EQ(best, report.cause) << report.text << "\n" << diagnosis.sentence;
    for (const Finding& finding : diagnosis.findings)
      EXPECT_TRUE(finding.score < confident || finding.cause == report.cause) << finding.cause;
  }
}

TEST(Reworded, ALimitOfTemperatureIsReadWhereItIsPrinted) {
  expect_all(
      {{"thermal_throttle",
        R"({"metrics": [{"class": "gemm16", "factor": 1.6}], "telemetry": {"temperature_c": 68},
            "log": ["    GPU Target Temperature            : 69 C"]})"},
       {"thermal_throttle",
        R"({"metrics": [{"class": "application", "factor": 2}], "settings": {"gpu_max_operating_temp": 62},
            "telemetry": {"temperature_c": 60, "moved": {"sm_clock": "lower"}}})"},
       {"", R"({"metrics": [{"class": "application", "factor": 2}], "telemetry": {"temperature_c": 60},
                "log": ["    GPU Slowdown Temp                 : 95 C"]})"}});
}

TEST(Reworded, WhatGrowsWithTimeAloneIsNotHeat) {
  expect_all({{"", R"({"metrics": [{"class": "application", "factor": 2.5}],
                       "telemetry": {"drift": "worse_with_time"}})"},
              {"thermal_throttle", R"({"metrics": [{"class": "application", "factor": 2.5}],
                       "telemetry": {"drift": "worse_with_time", "moved": {"temperature": "rises_slowly"}}})"},
              {"thermal_throttle", R"({"metrics": [{"class": "gemm32", "factor": 1.3}],
                       "telemetry": {"drift": "worse_with_time"}})"}});
}

TEST(Reworded, ALimitBelowWhatTheWorkDrawsElsewhereIsACapThoughItIsTheDefault) {
  expect_all(
      {{"sw_power_cap", R"({"metrics": [{"class": "application", "note": "sluggish on battery and mains"}],
      "telemetry": {"power_w": 79, "power_limit_w": 80, "power_limit_default_w": 80, "power_expected_w": 130}})"},
       {"sw_power_cap", R"({"metrics": [{"class": "gemm16", "factor": 1.4}], "telemetry":
      {"power_w": 248, "power_limit_w": 250, "power_limit_default_w": 250, "power_expected_w": 340}})"},
       {"", R"({"metrics": [{"class": "application", "factor": 1.4}], "telemetry":
      {"power_w": 248, "power_limit_w": 250, "power_limit_default_w": 250, "power_expected_w": 249}})"}});
}

TEST(Reworded, ALimitBelowWhatTheBoardIsMadeForIsACap) {
  expect_all({{"sw_power_cap", R"({"about": {"gpu": "NVIDIA GeForce RTX 4090"},
      "metrics": [{"class": "application", "factor": 1.2}], "telemetry": {"power_limit_w": 300}})"},
              {"sw_power_cap", R"({"about": {"gpu": "Tesla V100-SXM2-16GB"},
      "metrics": [{"class": "gemm16", "factor": 1.3}], "telemetry": {"power_limit_w": 200, "power_w": 199}})"},
              {"sw_power_cap", R"({"metrics": [{"class": "application", "factor": 1.3}], "telemetry":
      {"power_limit_w": 120, "power_w": 119, "sm_clock_mhz": 1200, "sm_clock_expected_mhz": 1600,
       "throttle_reasons": ["sw_power_cap"]}})"},
              {"", R"({"about": {"gpu": "NVIDIA H200"}, "metrics": [{"class": "application", "factor": 1.1}],
      "telemetry": {"power_limit_w": 700, "power_w": 698, "sm_clock_mhz": 1755, "sm_clock_expected_mhz": 1980,
       "throttle_reasons": ["sw_power_cap"]}})"},
              {"", R"({"about": {"gpu": "NVIDIA GeForce RTX 4090 Laptop GPU"},
      "metrics": [{"class": "application", "factor": 1.1}], "telemetry": {"power_limit_w": 150}})"}});
}

TEST(Reworded, ALimitThatWasLoweredIsACapThoughItIsTheDefaultNow) {
  expect_all({{"sw_power_cap", R"({"metrics": [{"class": "application", "factor": 1.2}],
      "changed": {"power_limit_w": [450, 350]}, "telemetry": {"power_limit_default_w": 350}})"},
              {"sw_power_cap", R"({"metrics": [{"class": "gemm16", "factor": 1.2}],
      "telemetry": {"power_limit_w": 140, "power_limit_default_w": 140},
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "tgp=175 W"}]})"}});
}

TEST(Reworded, ABusyGpuThatDrawsFarTooLittleWithoutAReason) {
  expect_all({{"hidden_power_state", R"({"metrics": [{"class": "gemm16", "factor": 1.9}], "telemetry":
      {"power_w": 110, "power_expected_w": 250, "utilization_percent": 99, "throttle_reasons": ["none"]}})"},
              {"hidden_power_state",
               R"({"metrics": [{"class": "application", "note": "slower than the same board next to it"}],
      "telemetry": {"power_w": 260, "power_expected_w": 620, "utilization_percent": 100, "throttle_reasons": []}})"},
              {"", R"({"metrics": [{"class": "application", "factor": 1.9}], "telemetry":
      {"power_w": 110, "power_expected_w": 250, "utilization_percent": 40, "throttle_reasons": ["none"]}})"}});
}

TEST(Reworded, CopiesFromMemoryThatIsNotPinned) {
  expect_all(
      {{"pageable_memory", R"({"metrics": [{"class": "d2h", "factor": 5, "scope": {"path": "pageable"}},
      {"class": "d2h", "value": 24, "unit": "GB/s", "scope": {"path": "pinned"}}]})"},
       {"pageable_memory", R"({"metrics": [
      {"class": "h2d", "factor": 3, "scope": {"op": "copy from unpinned memory"}},
      {"class": "h2d", "value": 11.9, "unit": "GB/s", "scope": {"op": "copy from page-locked memory"}}]})"},
       {"pageable_memory", R"({"metrics": [{"class": "h2d", "factor": 4, "scope": {"library": "opencv"}}],
      "probes": [{"name": "native_benchmark", "outcome": "normal", "detail": "bandwidthTest=12 GB/s"}]})"},
       {"pageable_memory", R"({"metrics": [{"class": "d2h", "factor": 2.6, "scope": {"framework": "jax"}}],
      "probes": [{"name": "native_benchmark", "outcome": "normal", "detail": "cudaMemcpy alone"}]})"},
       {"", R"({"metrics": [{"class": "h2d", "factor": 3, "note": "pinned memory is slow too"}],
      "probes": [{"name": "pin_to_local_numa", "outcome": "no_change"}]})"}});
}

TEST(Reworded, OneOrTwoProcessorsAreTooFew) {
  expect_all(
      {{"cpu_affinity_wrong", R"({"metrics": [{"class": "application", "factor": 3}],
      "inventory": {"host.cpus_allowed": 2}})"},
       {"cpu_affinity_wrong",
        R"({"metrics": [{"class": "application", "note": "sluggish under the batch system"}],
      "settings": {"host.cpus_allowed": 1}})"},
       {"",
        R"({"metrics": [{"class": "application", "factor": 3}], "inventory": {"host.cpus_allowed": 16}})"}});
}

TEST(Reworded, OtherWorkOnTheProcessors) {
  expect_all({{"cpu_contention", R"({"metrics": [{"class": "launch", "factor": 2}],
      "telemetry": {"moved": {"cpu_load_percent": "higher"}}})"},
              {"cpu_contention",
               R"({"metrics": [{"class": "application", "note": "slow: the CPUs are busy with a backup"}]})"},
              {"cpu_contention", R"({"metrics": [{"class": "application", "factor": 1.7}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "renice of the indexing job"}]})"}});
}

TEST(Reworded, TheGpuWaitsForData) {
  expect_all({{"cpu_contention", R"({"metrics": [{"class": "application", "factor": 2,
      "note": "data_time: 1.9 of 2.1 s per step"}], "telemetry": {"utilization_percent": 20}})"},
              {"cpu_contention", R"({"metrics": [{"class": "application", "factor": 3}],
      "log": ["Epoch 3 [120/900] Data 0.81s Net 0.20s"], "telemetry": {"moved": {"utilization": "lower"}}})"},
              {"", R"({"metrics": [{"class": "application", "factor": 3}],
      "telemetry": {"moved": {"utilization": "lower"}}})"}});
}

TEST(Reworded, NoChannelUsesGpuDirect) {
  expect_all({{"gdr_disabled", R"({"about": {"nodes": 2}, "metrics": [{"class": "coll_large", "factor": 3}],
      "inventory": {"nccl.transport": "ib"},
      "log": ["n1:77:80 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/IB/0"]})"},
              {"gdr_disabled", R"({"about": {"nodes": 4}, "metrics": [{"class": "coll_large",
      "note": "far below what is expected; NCCL runs without GPUDirect RDMA"}]})"},
              {"gdr_disabled",
               R"({"about": {"nodes": 2}, "metrics": [{"class": "coll_large", "factor": 2.5}], "log": [
      "n1:77:80 [0] NCCL INFO Channel 00 : 0[7000] -> 8[7000] [send] via NET/IB/1/GDRDMA",
      "n2:52:56 [0] NCCL INFO Channel 00 : 0[7000] -> 8[7000] [receive] via NET/IB/0"]})"},
              {"", R"({"about": {"nodes": 2}, "metrics": [{"class": "coll_large", "factor": 3}],
      "inventory": {"nccl.transport": "ib"},
      "log": ["n1:77:80 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/IB/0/GDRDMA"]})"}});
}

TEST(Reworded, SeveralGpusThatAreSlowerThanOnePointToThePathBetweenThem) {
  for (const char* text : {R"({"about": {"gpus": 2, "compared_with": "other_configuration"}, "metrics":
          [{"class": "application", "factor": 3, "note": "two cards take 90 s, a single card takes 30 s"}]})",
                           R"({"about": {"gpus": 8, "compared_with": "other_configuration"}, "metrics":
          [{"class": "framework_op", "factor": 6, "note": "DataParallel step; with one GPU it is quick"}]})"}) {
    const Diagnosis diagnosis = diagnosis_of(text);
    std::vector<std::string> causes;
    for (const Finding& finding : diagnosis.findings) {
      causes.push_back(finding.cause);
      EXPECT_LT(finding.score, .5) << finding.cause;
    }
    EXPECT_THAT(causes, testing::IsSupersetOf({"acs_enabled", "iommu_translation"})) << text;
  }
  expect_all({{"", R"({"about": {"gpus": 2, "compared_with": "earlier"}, "metrics":
      [{"class": "application", "factor": 3, "note": "two cards take 90 s"}]})"}});
}

TEST(Reworded, ADeviceThatMigHides) {
  expect_all({{"mig_left_enabled",
               R"({"metrics": [{"class": "init", "factor": null}], "inventory": {"gpu.mig": true},
      "errors": [{"api": "cuda", "code": 101, "text": "invalid device ordinal"}]})"},
              {"mig_left_enabled", R"({"about": {"gpu": "H100 80GB HBM3 MIG 2g.20gb", "gpus": 3},
      "metrics": [{"class": "application", "factor": null, "note": "the second rank finds no device"}]})"},
              {"fabric_manager_down",
               R"({"about": {"gpu": "A100-SXM4-40GB"}, "metrics": [{"class": "init", "factor": null}],
      "inventory": {"gpu.mig": true}, "errors": [{"api": "cuda", "code": 802}]})"},
              {"", R"({"about": {"gpu": "A100-SXM4-40GB"}, "metrics": [{"class": "init", "factor": 1}],
      "inventory": {"gpu.mig": true}})"}});
}

TEST(Reworded, AnotherShapeIsFast) {
  expect_all({{"kernel_specific", R"({"metrics": [{"class": "gemm16", "factor": 4}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "n=4097"}]})"},
              {"cudnn_heuristic_regression", R"({"metrics": [{"class": "conv", "factor": 12}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "image_size=224"}]})"},
              {"cudnn_heuristic_regression", R"({"metrics": [{"class": "conv", "factor": 3}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "torch.backends.cudnn.enabled=False"}]})"}});
}

TEST(Reworded, ALineThatTellsWhatIsUsedInstead) {
  expect_all(
      {{"feature_unsupported_silent_fallback", R"({"metrics": [{"class": "application", "factor": 1.8}],
      "log": ["this device does not support bf16 acceleration, using fp32 instead"]})"},
       {"feature_unsupported_silent_fallback",
        R"({"metrics": [{"class": "application", "note": "slower than hoped"}],
      "log": ["int8 kernels are unavailable here, reverting to fp16"]})"}});
}

TEST(Reworded, AGpuThatIsCalledSlowerThanTheProcessorIsMeasuredFirst) {
  expect_all({{"measurement_method", R"({"about": {"compared_with": "other_configuration"}, "metrics":
      [{"class": "framework_op", "factor": 20, "scope": {"framework": "cupy"}, "note": "3 ms; numpy needs 0.15 ms"}]})"},
              {"measurement_method", R"({"about": {"compared_with": "other_configuration"}, "metrics":
      [{"class": "application", "factor": 5, "scope": {"framework": "jax"}, "note": "slower than on the CPU"}]})"},
              {"", R"({"about": {"compared_with": "earlier"}, "metrics":
      [{"class": "application", "factor": 5, "scope": {"framework": "jax"}, "note": "slower than last month"}]})"}});
}

TEST(Reworded, HowMuchGoesToTheGpuIsTheProgramsOption) {
  expect_all({{"app_kernel_regression", R"({"metrics": [{"class": "application", "note": "slow generation"}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "--gpu-layers=99, gpu_layers"}]})"},
              {"app_kernel_regression", R"({"metrics": [{"class": "application", "factor": 8}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "num_gpu=33"}]})"}});
}

TEST(Reworded, AFirstCallThatIsSlowerThanTheNextOnesIsNoFault) {
  expect_all(
      {{"", R"({"metrics": [{"class": "application", "note": "the first inference is slow",
      "scope": {"phase": "first_call"}}, {"class": "application", "factor": 1, "scope": {"phase": "warm"}}]})"},
       {"",
        R"({"metrics": [{"class": "init", "factor": 9, "scope": {"op": "nvidia-smi -L", "phase": "startup"}}]})"},
       {"ptx_jit_startup", R"({"metrics": [{"class": "first_launch", "value": 75, "unit": "s",
      "note": "the first inference is slow"}], "probes": [{"name": "repeat_warm", "outcome": "normal"}]})"}});
}

TEST(Reworded, WhatChangedTogetherNamesNoPartAlone) {
  const Diagnosis diagnosis = diagnosis_of(R"({"metrics": [{"class": "conv", "factor": 1.4,
      "scope": {"framework": "tensorflow"}}], "changed": {"framework": ["2.4", "2.10"], "cudnn": ["8.0", "8.1"],
      "cuda.runtime": ["11.0", "11.2"]}})");
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings.front().cause, "stack_upgrade_mixed");
}

TEST(Reworded, FactsAreReadWhereverTheyStand) {
  expect_all({{"nccl_env_leftover", R"({"metrics": [{"class": "coll_large", "factor": 4}],
      "settings": {"NCCL_P2P_DISABLE": 1}})"},
              {"persistence_mode_off", R"({"metrics": [{"class": "init", "factor": 6}],
      "changed": {"gpu.persistence": [true, false]}})"},
              {"tf32_disabled_by_framework_default", R"({"metrics": [{"class": "gemm32", "factor": 6}],
      "changed": {"torch.backends.cuda.matmul.allow_tf32": [true, false]}})"},
              {"thermal_throttle", R"({"metrics": [{"class": "gemm16", "factor": 1.5}],
      "log": ["        SW Thermal Slowdown               : Active"]})"},
              {"hw_power_brake", R"({"metrics": [{"class": "gemm16", "factor": 3}],
      "log": ["            HW Power Brake Slowdown       : Active"]})"},
              {"", R"({"log": ["        HW Slowdown                       : Not Active"]})"}});
}

TEST(Reworded, ANoteMayCallItSlowInManyWays) {
  for (const char* note :
       {"several times the usual latency", "throughput falls short of the data sheet",
        "bandwidth is 40 % below nominal", "step time has doubled", "half the rate of the other node",
        "the GPU starves", "takes five times as long"}) {
    Observation it;
    it.metrics.emplace_back();
    it.metrics.back().metric_class = "application";
    it.metrics.back().note = note;
    EXPECT_TRUE(Seen(it).slower({})) << note;
  }
  for (const char* note : {"does not stall", "no worse than before", "45 ms per token", "never starved"}) {
    Observation it;
    it.metrics.emplace_back();
    it.metrics.back().metric_class = "application";
    it.metrics.back().note = note;
    EXPECT_FALSE(Seen(it).slower({})) << note;
  }
}

}  // namespace
}  // namespace gpugauge::diagnose
