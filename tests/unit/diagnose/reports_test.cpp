// Mechanisms in the words in which people report them.
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"
#include "diagnose/memory_report.hpp"

namespace gpugauge::diagnose {
namespace {

/// Name and score of the first finding; "" when there is none.
std::pair<std::string, double> first(const char* text) {
  const Diagnosis diagnosis = diagnose(parse_observation(text, "test"));
  if (diagnosis.findings.empty()) return {"", 0};
  return {diagnosis.findings.front().cause, diagnosis.findings.front().score};
}

TEST(MemoryReport, ReadsBothFormsOfPyTorch) {
  const auto old_form = memory_report(
      "Tried to allocate 216.00 MiB (GPU 0; 7.92 GiB total capacity; 69.17 MiB already allocated; 24.56 MiB "
      "free; "
      "86.00 MiB reserved in total by PyTorch)");
  ASSERT_TRUE(old_form);
  EXPECT_NEAR(old_form->total_mib, 8110, 1);
  EXPECT_NEAR(old_form->free_mib, 24.56, .01);
  EXPECT_NEAR(old_form->own_mib, 86, .01);
  const auto new_form = memory_report(
      "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which "
      "31.75 MiB is "
      "free. Process 4711 has 70.10 GiB memory in use. Including non-PyTorch memory, this process has 8.90 "
      "GiB memory "
      "in use.");
  ASSERT_TRUE(new_form);
  EXPECT_NEAR(new_form->total_mib, 81050, 1);
  EXPECT_NEAR(new_form->free_mib, 31.75, .01);
  EXPECT_NEAR(new_form->own_mib, 9113.6, .1);
  EXPECT_FALSE(memory_report("CUDA out of memory"));
  EXPECT_FALSE(memory_report(""));
  EXPECT_FALSE(memory_report(" free total capacity of"));
  EXPECT_FALSE(memory_report("1e999 GiB total capacity; 1 MiB already allocated; 1 MiB free"));
}

/// Facts of one mechanism as reports write them, and what may not be made of what only looks like it.
TEST(Diagnose, NamesAMechanismInTheWordsOfReports) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"errors": [{"api": "cuda", "text": "The NVIDIA driver on your system is too old: found version 11040"}]})",
       "driver_too_old"},
      {R"({"log": ["NVRM: GPU 0000:01:00.0 is already bound to vfio-pci."], "errors": [{"text": "No devices were found"}]})",
       "nouveau_loaded"},
      {R"({"metrics": [{"class": "init", "factor": null}], "environment": {"CUDA_VISIBLE_DEVICES": "$GPU"},
           "errors": [{"api": "cuda", "code": 100}]})",
       "no_visible_device"},
      {R"({"metrics": [{"class": "application", "factor": null, "note": "out of memory at batch 1"}], "errors": [{"text":
           "8.00 GiB total capacity; 70.00 MiB already allocated; 24.00 MiB free; 86.00 MiB reserved in total"}]})",
       "neighbour_process"},
      {R"({"metrics": [{"class": "application", "factor": 200}], "telemetry": {"drift": "worse_with_time"},
           "inventory": {"host.virtualization": "VMware vGPU"}})",
       "vgpu_unlicensed"},
      {R"({"metrics": [{"class": "application", "factor": 6, "note": "180 FPS without cuda.synchronize before the end"}]})",
       "measurement_method"},
      {R"({"metrics": [{"class": "application", "factor": 1.8, "scope": {"op": "device to device cudaMemcpy"}}],
           "settings": {"confidential_computing": "on"}})",
       "confidential_computing"},
      {R"({"metrics": [{"class": "application", "factor": 1.3}], "probes": [
           {"name": "change_setting", "outcome": "recovers", "detail": "hidden_size=1024 instead of 1001"}]})",
       "tc_misaligned_dims"},
      {R"({"metrics": [{"class": "application", "factor": null, "note": "GPU mostly idle, all CPU cores busy"}]})",
       "cpu_contention"}};
  for (const auto& [text, cause] : cases) EXPECT_EQ(first(text).first, cause) << text;
}

TEST(Diagnose, IsNotConfidentOnWhatOnlyLooksLikeIt) {
  for (
      const char* text :
      {// another version was tried, which nobody had suspected
       R"({"errors": [{"text": "unknown trouble"}], "probes": [
            {"name": "change_version", "outcome": "no_change", "detail": "driver=550"},
            {"name": "change_version", "outcome": "no_change", "detail": "cuda=12.4"}]})",
       // what else differed, under a word for the benchmark
       R"({"changed": {"harness": ["ports at 100 Gbps", "ports limited to 25 Gbps"]},
            "metrics": [{"class": "application", "factor": 3}]})",
       // MIG that is wanted
       R"({"metrics": [{"class": "init", "factor": 1}], "inventory": {"gpu.mig": true}})",
       // a newer CUDA brings newer libraries too
       R"({"metrics": [{"class": "application", "factor": 3, "scope": {"library": "cufft"}}],
            "probes": [{"name": "change_version", "outcome": "recovers", "detail": "cuda=12.1"}]})",
       // a path with -gnu is no debug switch
       R"({"metrics": [{"class": "application", "factor": 3}], "probes": [
            {"name": "change_setting", "outcome": "recovers", "detail": "path=/usr/lib/x86_64-linux-gnu"}]})",
       // JAX says so also where the driver fails
       R"({"log": ["No GPU/TPU found, falling back to CPU.", "failed call to cuInit: CUDA_ERROR_UNKNOWN"]})",
       // a low clock whose reasons nobody read
       R"({"metrics": [{"class": "application", "factor": 3}], "telemetry": {"pstate": 8, "sm_clock_mhz": 135,
            "sm_clock_expected_mhz": 1151}, "probes": [{"name": "reset_clocks", "outcome": "no_change"}]})"}) {
    EXPECT_LT(first(text).second, confident) << text << " " << first(text).first;
  }
}

TEST(Diagnose, WhatNvidiaSmiCallsNotActiveIsNot) {
  constexpr const char* table =
      R"("HW Slowdown : Not Active", "HW Thermal Slowdown : Not Active", "HW Power Brake Slowdown : Not Active",
         "SW Thermal Slowdown : Not Active")";
  const auto causes = [](const std::string& text) {
    std::vector<std::string> out;
    for (const Finding& finding : diagnose(parse_observation(text, "test")).findings)
      out.push_back(finding.cause);
    return out;
  };
  const std::string slow = R"({"metrics": [{"class": "gemm16", "factor": 1.2}], "log": [)";
  EXPECT_THAT(causes(slow + table + "]}"),
              testing::Not(testing::AnyOf(testing::Contains("hw_power_brake"),
                                          testing::Contains("thermal_throttle"))));
  EXPECT_THAT(causes(slow + table + R"(, "HW Power Brake Slowdown : Active"]})"),
              testing::Contains("hw_power_brake"));
  const std::string noted =
      R"({"metrics": [{"class": "gemm16", "factor": 1.2, "note": "power brake: not active)";
  EXPECT_THAT(causes(noted + R"("}]})"), testing::Not(testing::Contains("hw_power_brake")));
  EXPECT_THAT(causes(noted + R"(, thermal slowdown: active"}]})"), testing::Contains("thermal_throttle"));
}

/// What was seen says the opposite, or nothing, of the cause that its words stand for.
TEST(Diagnose, DoesNotNameWhatIsSaidToBeOff) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"metrics": [{"class": "launch", "factor": 1.5}], "settings": {"CUDA_LAUNCH_BLOCKING": "0"}})",
       "cuda_launch_blocking"},
      {R"({"errors": [{"api": "nvml", "code": 9, "text": "Driver Not Loaded"}], "settings": {"nouveau": "absent"}})",
       "nouveau_loaded"},
      {R"({"metrics": [{"class": "h2d", "factor": 3}], "settings": {"memlock": "unlimited"}})",
       "pageable_memory"},
      {R"({"metrics": [{"class": "launch", "factor": 1.5}], "settings": {"affinity": "none"}})",
       "cpu_affinity_wrong"},
      {R"({"metrics": [{"class": "init", "factor": 3}], "settings": {"persistence_mode": "on"}})",
       "persistence_mode_off"},
      {R"({"metrics": [{"class": "init", "factor": 3}], "log": ["Persistence Mode : Enabled"]})",
       "persistence_mode_off"},
      {R"({"metrics": [{"class": "gemm32", "factor": 3}], "log": ["NVIDIA_TF32_OVERRIDE=1"]})",
       "tf32_env_override"},
      {R"({"about": {"gpus": 1}, "metrics": [{"class": "gemm16", "factor": 1.3}],
           "environment": {"CUDA_VISIBLE_DEVICES": "3"}})",
       "no_visible_device"},
      {R"({"metrics": [{"class": "gemm16", "factor": 1.3}], "environment": {"CUDA_VISIBLE_DEVICES": " 0,1"}})",
       "no_visible_device"}};
  for (const auto& [text, cause] : cases) {
    for (const Finding& finding : diagnose(parse_observation(text, "test")).findings)
      EXPECT_FALSE(finding.cause == cause && finding.score >= .4) << text << " " << finding.score;
  }
}

TEST(Diagnose, ACountOfNoneIsNoFault) {
  for (const char* line : {"Uncorrectable ECC errors : 0", "Double Bit ECC : N/A", "Retired Pages : N/A",
                           "Remapped rows: row remapping pending: No", "thermal slowdown threshold 89 C",
                           "no GPU is lost", "GPU is lost: no"}) {
    const std::string text =
        R"({"metrics": [{"class": "gemm16", "factor": 1.0}], "log": [")" + std::string(line) + "\"]}";
    EXPECT_TRUE(diagnose(parse_observation(text, "test")).findings.empty()) << line;
  }
  EXPECT_EQ(first(R"({"log": ["Uncorrectable ECC errors : 3"]})").first, "hbm_row_remap");
  EXPECT_EQ(first(R"({"log": ["NVML: GPU is lost"]})").first, "gpu_lost");
}

TEST(Diagnose, AsFastAsBeforeIsHealthy) {
  for (const char* note :
       {"same speed as before the upgrade", "no noticeable difference", "no faster than last week",
        "no improvement since the previous driver", "same speed as fp16 before"}) {
    const std::string text =
        R"({"metrics": [{"class": "gemm16", "factor": 1.0, "note": ")" + std::string(note) + "\"}]}";
    EXPECT_EQ(diagnose(parse_observation(text, "test")).state, State::healthy) << note;
  }
  EXPECT_NE(
      diagnose(parse_observation(
                   R"({"metrics": [{"class": "gemm8", "factor": 1.0, "note": "fp8 no faster than bf16"}]})",
                   "test"))
          .state,
      State::healthy);
}

TEST(Diagnose, ASwitchThatMendsItOutweighsAVersionThatDoes) {
  EXPECT_EQ(first(R"({"metrics": [{"class": "application", "factor": null, "note": "stutter"}],
      "inventory": {"driver.version": "570.86.16"}, "probes": [
        {"name": "change_setting", "outcome": "recovers", "detail": "gsp_firmware=off"},
        {"name": "change_version", "outcome": "recovers", "detail": "driver=570.124"}]})")
                .first,
            "gsp_firmware");
}

}  // namespace
}  // namespace gpugauge::diagnose
