// What an observation does not show must not be told as a cause: a missing reading, another way, another GPU.
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"
#include "diagnose/seen.hpp"

namespace gpugauge::diagnose {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Diagnosis of(const char* text) {
  return diagnose(parse_observation(text, "test"));
}

std::vector<std::string> confident_of(const char* text) {
  std::vector<std::string> out;
  for (const Finding& finding : of(text).findings)
    if (finding.score >= confident) out.push_back(finding.cause);
  return out;
}

std::vector<std::string> causes_of(const char* text) {
  std::vector<std::string> out;
  for (const Finding& finding : of(text).findings) out.push_back(finding.cause);
  return out;
}

TEST(Sides, AStateThatMayNotBeIsNotOn) {
  for (const char* word : {"[Not Supported]", "not_supported", "unsupported", "Not Active", "Unknown"}) {
    Observation seen = parse_observation(R"({"about": {"gpu": "NVIDIA RTX A6000"},
      "metrics": [{"class": "gemm16", "factor": 2.5}, {"class": "hbm", "factor": 2.5}]})",
                                         "test");
    seen.inventory["gpu.mig"] = Value(word);
    EXPECT_FALSE(Seen(seen).on("gpu.mig")) << word;
    for (const Finding& finding : diagnose(seen).findings)
      EXPECT_NE(finding.cause, "mig_left_enabled") << word;
  }
}

TEST(Sides, WhatNobodyCouldTellIsNeitherOnNorOff) {
  Observation seen;
  seen.inventory["gpu.ecc"] = Value("unknown");
  EXPECT_FALSE(Seen(seen).on("gpu.ecc"));
  EXPECT_FALSE(Seen(seen).off("gpu.ecc"));
}

TEST(Sides, AGpuWithoutAFabricMissesNone) {
  EXPECT_THAT(
      causes_of(R"({"about": {"gpu": "NVIDIA H100 PCIe"}, "inventory": {"gpu.fabric_state": "not_supported"},
    "metrics": [{"class": "p2p", "factor": 1.5}]})"),
      Not(Contains("fabric_manager_down")));
}

TEST(Sides, OneSettingMayGoEitherWay) {
  const auto with = [](const char* field, const char* before, const char* after) {
    Observation seen = parse_observation(R"({"about": {"compared_with": "earlier", "gpu": "NVIDIA L40S"},
      "metrics": [{"class": "hbm", "factor": 1.2}, {"class": "launch", "factor": 1.2},
                  {"class": "host_cpu", "factor": 1.2}, {"class": "p2p", "factor": 1.2},
                  {"class": "coll_large", "factor": 1.2}]})",
                                         "test");
    seen.changed.emplace();
    seen.changed->emplace(field, Change{Value(before), Value(after)});
    std::vector<std::string> out;
    for (const Finding& finding : diagnose(seen).findings)
      if (finding.score >= confident) out.push_back(finding.cause);
    return out;
  };
  EXPECT_THAT(with("gpu.ecc", "off", "on"), Contains("ecc_mode_differs"));
  EXPECT_THAT(with("gpu.ecc", "on", "off"), IsEmpty());
  EXPECT_THAT(with("gpu.mig", "on", "off"), IsEmpty());
  EXPECT_THAT(with("host.governor", "powersave", "performance"), IsEmpty());
  EXPECT_THAT(with("nvlinks_active", "18", "16"), Contains("nvlink_partial"));
  EXPECT_THAT(with("nvlinks_active", "16", "18"), IsEmpty());
}

TEST(Sides, IntegersOfEightBitsNeedNoFp8) {
  EXPECT_THAT(
      confident_of(
          R"({"about": {"gpu": "NVIDIA A100", "compute_capability": "8.0", "compared_with": "earlier"},
    "changed": {}, "metrics": [{"class": "gemm8", "factor": 1.12, "scope": {"op": "cublas/int8/8192"}},
                               {"class": "gemm16", "factor": 1}]})"),
      IsEmpty());
  EXPECT_THAT(
      confident_of(R"({"about": {"gpu": "NVIDIA RTX 2000 Ada Generation", "compute_capability": "8.9"},
    "metrics": [{"class": "gemm8", "factor": 1.5, "scope": {"dtype": "fp8"}}, {"class": "gemm16", "factor": 1}]})"),
      Not(Contains("fp8_not_native")));
  EXPECT_THAT(
      causes_of(R"({"about": {"gpu": "NVIDIA A100", "compute_capability": "8.0", "compared_with": "peers"},
    "metrics": [{"class": "gemm8", "factor": 1.9, "scope": {"dtype": "fp8"}}, {"class": "gemm16", "factor": 1}]})"),
      Contains("fp8_not_native"));
}

TEST(Sides, AChipThatNeverHadTensorCoresDidNotLoseThem) {
  EXPECT_THAT(confident_of(R"({"about": {"gpu": "NVIDIA GeForce GTX 1660 Ti", "compute_capability": "7.5",
    "compared_with": "earlier"}, "changed": {}, "metrics": [{"class": "gemm16", "factor": 1.2},
    {"class": "gemm32", "factor": 1}]})"),
              IsEmpty());
}

TEST(Sides, ALineOfASourceFileIsNoErrorNumber) {
  const auto holds = [](std::string_view text, int number) {
    return find_number(text, number, 0, Lines::passed_over) != std::string_view::npos;
  };
  EXPECT_FALSE(holds("failed at kernel.cu:209: out of memory", 209));
  EXPECT_FALSE(holds("pool.cpp:803)", 803));
  EXPECT_FALSE(holds("at line 804", 804));
  EXPECT_TRUE(holds("error:803", 803));
  EXPECT_TRUE(holds("pool.cpp:12: error 803", 803));
  EXPECT_THAT(
      causes_of(R"j({"errors": [{"api": "cuda", "code": 2, "text": "out of memory (src/pool.cpp:803)"}]})j"),
      Not(Contains("umd_kmd_mismatch")));
  EXPECT_THAT(
      causes_of(R"({"errors": [{"api": "cuda", "code": 700, "text": "CUDA error 209 in a log of it"}]})"),
      Not(Contains("arch_not_in_binary")));
  EXPECT_THAT(causes_of(R"({"log": ["CUDA error at gemm.cu:209: an illegal memory access"]})"),
              Not(Contains("arch_not_in_binary")));
  EXPECT_THAT(causes_of(R"({"log": ["cudaGetDeviceCount: CUDA error 803"]})"), Contains("umd_kmd_mismatch"));
}

TEST(Sides, MachineCodeOfAnEarlierMinorVersionRuns) {
  const auto lacks_code = [](const char* capability, const char* list) {
    Observation seen = parse_observation(
        R"({"metrics": [{"class": "first_launch", "factor": 2.4}, {"class": "application", "fails": true}]})",
        "test");
    seen.about.compute_capability = capability;
    seen.inventory["cuda.arch_list"] = Value(Value::List{list});
    for (const Finding& finding : diagnose(seen).findings)
      for (const std::string& text : finding.evidence)
        if (text.find("and the binary holds") != std::string::npos) return true;
    return false;
  };
  EXPECT_FALSE(lacks_code("8.9", "sm_86"));
  EXPECT_FALSE(lacks_code("8.6", "sm_80"));
  EXPECT_FALSE(lacks_code("9.0", "sm_90a"));
  EXPECT_FALSE(lacks_code("10.3", "sm_100"));
  EXPECT_TRUE(lacks_code("8.6", "sm_89"));
  EXPECT_TRUE(lacks_code("9.0", "sm_86"));
  EXPECT_TRUE(lacks_code("10.3", "sm_100a"));
  EXPECT_FALSE(lacks_code("10.3", "sm_100f"));
  EXPECT_TRUE(lacks_code("8.7", "sm_86")) << "Orin runs no code of desktop GPUs";
  EXPECT_TRUE(lacks_code("12.0", "sm_120-virtual"));
}

TEST(Sides, OneMachineWithoutANetworkMissesNoGdr) {
  EXPECT_THAT(causes_of(R"({"about": {"gpu": "NVIDIA H100", "gpus": 8, "nodes": 1},
    "inventory": {"nccl.transport": "p2p", "peermem.module": null},
    "metrics": [{"class": "coll_large", "factor": 2.1}]})"),
              Not(Contains("gdr_disabled")));
}

TEST(Sides, ARowRemappedLongAgoIsNoConfidentFailure) {
  EXPECT_THAT(confident_of(R"({"inventory": {"gpu.remapped_rows": 1, "gpu.remap_pending": false},
    "metrics": [{"class": "hbm", "factor": 1}]})"),
              IsEmpty());
  EXPECT_THAT(
      confident_of(R"({"inventory": {"gpu.remapped_rows": 3}, "changed": {"gpu.remapped_rows": [1, 3]},
    "metrics": [{"class": "hbm", "factor": 1}]})"),
      Contains("hbm_row_remap"));
}

TEST(Sides, ALinkThatWasNotReadIsNotAtItsFullWidth) {
  for (const char* telemetry : {R"({"pcie_generation_max": 5, "pcie_width_max": 16})",
                                R"({"pcie_generation": 5, "pcie_generation_max": 5})"}) {
    const std::string text =
        std::string(R"({"metrics": [{"class": "h2d", "factor": 2}], "telemetry": )") + telemetry + "}";
    const Diagnosis diagnosis = of(text.c_str());
    for (const Excluded& one : diagnosis.excluded) EXPECT_THAT(one.why, Not(HasSubstr("full generation")));
    EXPECT_THAT(diagnosis.sentence, Not(HasSubstr("full generation")));
  }
}

TEST(Sides, WhereNothingWasComparedNothingIsCalledHealthy) {
  const Diagnosis none = of(R"({"metrics": [{"class": "hbm", "value": 300, "unit": "GB/s"}]})");
  EXPECT_EQ(none.state, State::nothing_compared);
  EXPECT_THAT(none.sentence, HasSubstr("Nothing was compared"));
  EXPECT_EQ(of(R"({"metrics": [{"class": "hbm", "factor": 1}]})").state, State::healthy);
}

TEST(Sides, CountsOfNothingAreNoHarm) {
  for (const char* line : {"0 errors, 0 warnings", "Volatile Uncorrectable ECC errors : 0", "no errors found",
                           "Remapping Failure Occurred = 0"}) {
    Observation seen = parse_observation(R"({"metrics": [{"class": "hbm", "factor": 1}]})", "test");
    seen.log = {line};
    EXPECT_FALSE(Seen(seen).harm()) << line;
  }
  for (const char* line :
       {"10 errors, 0 warnings", "rank 0 failed to initialise the communicator",
        "GPU 0 error: something is broken", "training failed on device: 0",
        "GPU 0 failed to initialize, rank 0 timeout", "NCCL WARN Call to connect failed : 0",
        "Error: connection closed by peer: rank = 0", "gpu 0 errors were seen",
        "0 errors corrected, uncorrectable errors 3"}) {
    Observation seen;
    seen.log = {line};
    EXPECT_TRUE(Seen(seen).harm()) << line;
  }
}

TEST(Sides, AFigureThatFailsStillFailsWhenItIsReadBack) {
  Observation seen;
  Metric metric;
  metric.metric_class = "launch";
  metric.fails = true;
  metric.note = "latency is 0, which is no measurement";
  seen.metrics = {metric};
  EXPECT_TRUE(parse_observation(to_json(seen), "test").metrics.front().fails);
  EXPECT_TRUE(parse_observation(R"({"metrics": [{"class": "launch", "fails": true}]})", "test")
                  .metrics.front()
                  .fails);
}

TEST(Sides, APredictionMetInPartIsToldAsSuch) {
  bool told = false;
  const Diagnosis diagnosis = of(
      R"({"environment": {"NVIDIA_TF32_OVERRIDE": "0"}, "metrics": [{"class": "gemm32", "factor": 1.3}]})");
  for (const Finding& finding : diagnosis.findings)
    for (const std::string& text : finding.evidence) {
      EXPECT_NE(text, "gemm32 is slower, as predicted");
      told = told || text == "gemm32 is slower, predicted more than twice as slow";
    }
  EXPECT_TRUE(told);
}

TEST(Sides, ADefaultIsNoFaultAndATemperatureNoMemory) {
  EXPECT_THAT(causes_of(R"({"metrics": [{"class": "hbm", "factor": 2.5}],
    "telemetry": {"moved": {"power_limit_default_w": "higher"}}})"),
              Not(Contains("uvm_oversubscription")));
}

TEST(Sides, AGpuThatComputesHasItsModule) {
  EXPECT_THAT(causes_of(R"({"inventory": {"driver.kernel_module_version": "absent"}, "metrics": [
    {"class": "gemm16", "factor": 1}, {"class": "hbm", "factor": 1}, {"class": "conv", "fails": true}]})"),
              Not(Contains("kernel_module_missing")));
  EXPECT_THAT(causes_of(R"({"inventory": {"driver.kernel_module_version": "absent"}, "metrics": [
    {"class": "init", "fails": true}]})"),
              Contains("kernel_module_missing"));
}

TEST(Sides, ALimitThatIsNotAvailableIsNoneOfTheNumbersBehindIt) {
  EXPECT_THAT(
      confident_of(R"({"metrics": [{"class": "gemm16", "factor": 1.2}], "telemetry": {"temperature_c": 60},
    "log": ["GPU Target Temperature : N/A  GPU Current Temp : 60 C"]})"),
      Not(Contains("thermal_throttle")));
  EXPECT_THAT(
      causes_of(R"({"metrics": [{"class": "gemm16", "factor": 1.2}], "telemetry": {"temperature_c": 82},
    "log": ["GPU Target Temperature : 83 C"]})"),
      Contains("thermal_throttle"));
}

TEST(Sides, AnOptionOfAMountIsNoHarmAndACountOfErrorsIs) {
  EXPECT_FALSE(tells_of_harm("EXT4-fs (sda1): re-mounted. Opts: errors=remount-ro"));
  EXPECT_TRUE(tells_of_harm("GPU 3: uncorrectable errors=17"));
  EXPECT_TRUE(tells_of_harm("error: cannot open the device: False"));
}

}  // namespace
}  // namespace gpugauge::diagnose
