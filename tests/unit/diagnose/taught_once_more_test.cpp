// What another set of general reports showed. Made-up reports, and beside each one that means another thing.
#include <gtest/gtest.h>

#include "unit/diagnose/taught.hpp"

namespace gpugauge::diagnose {
namespace {
namespace taught_once_more {

using made_up::best;
using made_up::score;

TEST(TaughtOnceMore, AnOptionOfATestIsNoCompilersFlag) {
  const auto note = [](const std::string& text) {
    return R"("metrics": [{"class": "coll_large", "factor": 1.5, "note": ")" + text + R"("}])";
  };
  EXPECT_EQ(score(note("./build/all_reduce_perf -b 8 -e 128M -g 8"), "codegen_flag_lost"), 0);
  EXPECT_GT(score(note("built by nvcc -G "), "codegen_flag_lost"), 0);
}

TEST(TaughtOnceMore, AManagerOfAnotherVersionAlsoStopsCollectives) {
  const std::string broken =
      R"("about": {"gpus": 8, "nodes": 1}, "metrics": [{"class": "coll_large", "fails": true}],
      "changed": {"driver": ["535.161.08", "550.54.15"], "cuda": ["12.2", "12.4"]})";
  EXPECT_EQ(
      best(
          broken +
          R"(, "log": ["NVIDIA GPU driver interface version 550.90.07 don't match with driver version 550.54.15"])"),
      "fabric_manager_version_mismatch");
  EXPECT_EQ(score(broken, "fabric_manager_version_mismatch"), 0);
}

TEST(TaughtOnceMore, WhatARebootMendsNoRebootTook) {
  const auto tried = [](const std::string& detail) {
    return R"("metrics": [{"class": "coll_large", "factor": 2.0}], "changed": {"driver": ["550.1", "570.1"]},
        "probes": [{"name": "change_setting", "outcome": "recovers", "detail": ")" +
           detail + R"("}])";
  };
  EXPECT_EQ(score(tried("host=rebooted"), "settings_lost_on_reboot"), 0);
  EXPECT_GT(score(tried("persistence=as before"), "settings_lost_on_reboot"), 0);
}

TEST(TaughtOnceMore, AWarmUpOfTheBenchmarkIsTheBenchmarks) {
  const auto tried = [](const std::string& detail) {
    return R"("metrics": [{"class": "application", "factor": 2.2}], "probes": [{"name": "change_setting",
        "outcome": "recovers", "detail": ")" +
           detail + R"("}])";
  };
  EXPECT_EQ(best(tried("benchmark=one step before the timed warm-up")), "measurement_method");
  EXPECT_EQ(best(tried("keep_warm=on")), "idle_clock_ramp");
}

TEST(TaughtOnceMore, WhereNvmlShowsGpusCudasPartWasMissing) {
  const auto tried = [](const std::string& detail, const std::string& nvml) {
    return R"("metrics": [{"class": "init", "fails": true}], "errors": [{"api": "framework", "text": "Found no NVIDIA driver on your system."}],
        "inventory": {"host.container": "docker"}, "probes": [{"name": "nvml_query", "outcome": ")" +
           nvml + R"("}, {"name": "change_setting", "outcome": "recovers", "detail": ")" + detail + R"("}])";
  };
  EXPECT_EQ(best(tried("NVIDIA_DRIVER_CAPABILITIES=compute utility, NVIDIA_VISIBLE_DEVICES=all", "succeeds")),
            "image_without_compute");
  EXPECT_EQ(best(tried("NVIDIA_VISIBLE_DEVICES=all", "fails")), "no_visible_device");
}

TEST(TaughtOnceMore, TensorRtBuildsItsEngineItself) {
  const auto start = [](const std::string& provider) {
    return R"("about": {"compared_with": "expected"}, "metrics": [{"class": "init", "value": 55, "unit": "second"}],
        "inventory": {"framework.providers": [")" +
           provider + R"("]})";
  };
  EXPECT_EQ(score(start("TensorrtExecutionProvider"), "ptx_jit_startup"), 0);
  EXPECT_GT(score(start("CUDAExecutionProvider"), "ptx_jit_startup"), 0);
}

TEST(TaughtOnceMore, ACoolerThatWasTakenOffIsSuspectedAndNotProved) {
  const auto slow = [](const std::string& changed) {
    return R"("about": {"compared_with": "earlier"}, "changed": {")" + changed +
           R"(": ["as it came", "replaced"]}, "metrics": [{"class": "application", "factor": 2}])";
  };
  EXPECT_EQ(best(slow("cooling")), "thermal_throttle");
  EXPECT_LT(score(slow("cooling"), "thermal_throttle"), confident);
  EXPECT_EQ(score(slow("monitor"), "thermal_throttle"), 0);
}

TEST(TaughtOnceMore, AContainersToolWaitsForADriverThatStartsAnew) {
  const auto start = [](const std::string& line) {
    return R"("metrics": [{"class": "init", "fails": true}], "log": [")" + line + R"("])";
  };
  EXPECT_EQ(best(start("nvidia-container-cli: initialization error: driver error: timed out")),
            "persistence_mode_off");
  EXPECT_EQ(best(start("nvidia-container-cli: initialization error: driver error")), "");
}

TEST(TaughtOnceMore, AMathModeThatMendsItWasLost) {
  EXPECT_EQ(
      best(
          R"("about": {"compared_with": "expected"}, "metrics": [{"class": "application", "factor": 2.0, "scope": {"dtype": "fp32"}}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "math mode of the cuBLAS handle=TF32"}])"),
      "cublas_math_mode_lost");
}

TEST(TaughtOnceMore, AProcessThatKeepsOthersOutDoesNotSlowThem) {
  const std::string refused =
      R"("metrics": [{"class": "application", "fails": true}], "telemetry": {"other_processes": 1},
      "errors": [{"api": "cuda", "code": 46, "text": "all CUDA-capable devices are busy or unavailable"}],
      "settings": {"compute_mode": "E. Process"})";
  EXPECT_EQ(best(refused), "compute_mode_restricts");
  EXPECT_LT(score(refused, "neighbour_process"), confident);
}

}  // namespace taught_once_more
}  // namespace
}  // namespace gpugauge::diagnose
