// What three more sets of reports showed of hosts, other programs, power and libraries. Made-up reports, and beside each
// one that means another thing.
#include <gtest/gtest.h>

#include "unit/diagnose/taught.hpp"

namespace gpugauge::diagnose {
namespace {
namespace taught_host {

using made_up::best;
using made_up::score;

TEST(TaughtHost, AProgramOfTheDesktopDrawsWithTheGpu) {
  const auto tried = [](const std::string& detail) {
    return R"("metrics": [{"class": "application", "note": "very slow"}], "probes": [{"name": "change_setting",
        "outcome": "recovers", "detail": ")" +
           detail + R"("}])";
  };
  EXPECT_EQ(best(tried("discord.hardware_acceleration=off")), "neighbour_process");
  EXPECT_NE(best(tried("attention=math")), "neighbour_process");
}

TEST(TaughtHost, ANeighbourSlowsAndHangsNothing) {
  const auto beside = [](const std::string& figure) {
    return R"("metrics": [{"class": "application", )" + figure +
           R"(, "scope": {"phase": "new_process"}}], "settings": {"mps.daemon": "nvidia-cuda-mps-control -d"})";
  };
  EXPECT_EQ(best(beside(R"("fails": true)")), "mps_connection_failed");
  EXPECT_EQ(best(beside(R"("factor": 1.8)")), "neighbour_process");
}

TEST(TaughtHost, NoSpaceForTheWorkersOfALoader) {
  const auto out_of = [](const std::string& detail) {
    return R"("metrics": [{"class": "application", "fails": true}], "inventory": {"host.container": "docker"},
        "errors": [{"api": "framework", "text": "No space left on device"}], "probes": [{"name": "change_setting",
        "outcome": "recovers", "detail": ")" +
           detail + R"("}])";
  };
  EXPECT_EQ(best(out_of("workers=0")), "shm_too_small");
  EXPECT_EQ(score(out_of("folder=another disk"), "shm_too_small"), 0);
}

TEST(TaughtHost, ALaptopWithoutItsPowerService) {
  const auto laptop = [](const std::string& gpu) {
    return R"("about": {"gpu": ")" + gpu + R"("}, "metrics": [{"class": "application", "factor": 1.4}],
        "telemetry": {"power_limit_w": 80, "power_limit_default_w": 80}, "settings": {"nvidia_powerd": "stopped"})";
  };
  EXPECT_EQ(best(laptop("GeForce RTX 3060 Laptop GPU")), "sw_power_cap");
  EXPECT_EQ(score(laptop("GeForce RTX 3060"), "sw_power_cap"), 0);
}

TEST(TaughtHost, AJetsonsPowerModeIsACap) {
  const auto in = [](const std::string& mode) {
    return R"("about": {"gpu": "Jetson AGX Orin"}, "metrics": [{"class": "application", "factor": 3.1}],
        "settings": {"nvpmodel": ")" +
           mode + R"("})";
  };
  EXPECT_EQ(best(in("MODE_30W")), "sw_power_cap");
  EXPECT_EQ(score(in("MAXN"), "sw_power_cap"), 0);
  EXPECT_EQ(score(in("maximum power mode"), "sw_power_cap"), 0);
}

TEST(TaughtHost, OfSeveralChangesOneThatIsClearedClearsNoOther) {
  const auto changed = [](const std::string& what) {
    return R"("about": {"compared_with": "earlier"}, "changed": {"cuda": ["10.0", "10.2"])" + what +
           R"(}, "metrics": [{"class": "conv", "factor": 3.0}], "probes": [{"name": "change_version",
        "outcome": "no_change", "detail": "cuda=10.0"}])";
  };
  EXPECT_GE(score(changed(""), "false_attribution"), .7);
  EXPECT_LE(score(changed(R"(, "cudnn": ["7.3.1", "7.6.5"])"), "false_attribution"), .5);
}

TEST(TaughtHost, ALimitThatOthersExceedIsACap) {
  const auto drawn = [](double expected) {
    return R"("about": {"compared_with": "expected"}, "metrics": [{"class": "application", "note": "the GPU stays at 95 W"}],
        "telemetry": {"power_w": 95, "power_limit_w": 95, "power_expected_w": )" +
           std::to_string(expected) + "}";
  };
  EXPECT_EQ(best(drawn(175)), "sw_power_cap");
  EXPECT_EQ(score(drawn(95), "sw_power_cap"), 0);
}

TEST(TaughtHost, WhatANewProcessMendsIsNoHeat) {
  const auto slower = [](const std::string& system) {
    return R"("metrics": [{"class": "application", "note": "gets slow after some hundred steps"}],
        "telemetry": {"drift": "worse_with_time"}, "inventory": {"host.os": ")" +
           system + R"("}, "probes": [{"name": "repeat_in_fresh_process", "outcome": "recovers"}])";
  };
  EXPECT_EQ(best(slower("windows")), "sysmem_fallback");
  EXPECT_EQ(score(slower("windows"), "thermal_throttle"), 0);
  EXPECT_EQ(best(slower("linux")), "");
}

TEST(TaughtHost, TheDisplaySleepsAndTheGpuSaves) {
  const std::string asleep =
      R"("about": {"compared_with": "other_configuration"}, "changed": {"display.turned_off": ["no", "yes"]},
      "metrics": [{"class": "application", "factor": 2.0}])";
  EXPECT_EQ(best(asleep), "hidden_power_state");
  EXPECT_EQ(
      best(
          R"("about": {"compared_with": "other_configuration"}, "metrics": [{"class": "application", "factor": 2.0}])"),
      "");
}

TEST(TaughtHost, OneProcessorRunsAllWorkers) {
  const auto note = [](const std::string& text) {
    return R"("metrics": [{"class": "host_cpu", "note": ")" + text + R"("}])";
  };
  EXPECT_EQ(best(note("slow: it uses only 1 CPU core even if num_workers=30")), "cpu_affinity_wrong");
  EXPECT_EQ(score(note("slow: a single core computes"), "cpu_affinity_wrong"), 0);
}

TEST(TaughtHost, TheOlderOfTwoCopiesIsNoMissingOne) {
  const auto loaded = [](const std::string& copies) {
    return R"("metrics": [{"class": "application", "fails": true}], "inventory": {"cudnn.copies": )" +
           copies +
           R"(}, "errors": [{"api": "cudnn", "text": "Loaded runtime CuDNN library: 8.1.0 but source was compiled with: 8.6.0."}])";
  };
  EXPECT_EQ(best(loaded("2")), "mixed_library_versions");
  EXPECT_EQ(best(loaded("1")), "missing_or_wrong_major_cudnn");
}

TEST(TaughtHost, AProgramThatListsNoPartForCudaHasNone) {
  const auto listed = [](const std::string& runners) {
    return R"("metrics": [{"class": "application", "note": "slow"}], "telemetry": {"ran_on": "cpu"},
        "log": ["level=INFO msg=\"Dynamic LLM libraries\" runners=)" +
           runners + R"("])";
  };
  EXPECT_EQ(best(listed("[cpu]")), "built_without_cuda");
  EXPECT_EQ(score(listed("[cpu cuda_v12]"), "built_without_cuda"), 0);
}

TEST(TaughtHost, LockedMemoryThatWasLookedAtIsNoLimit) {
  const auto registration = [](const std::string& memlock) {
    return R"("about": {"nodes": 2}, "metrics": [{"class": "coll_large", "fails": true}], "settings": {"memlock": ")" +
           memlock +
           R"("}, "errors": [{"api": "nccl", "text": "ibv_reg_mr_iova2 failed: Cannot allocate memory"}])";
  };
  EXPECT_EQ(score(registration("no problem seen"), "locked_memory_limit"), 0);
  EXPECT_GT(score(registration("64 KiB"), "locked_memory_limit"), .5);
}

TEST(TaughtHost, APrivilegedContainerOpensMoreThanTheNetwork) {
  const std::string denied =
      R"("metrics": [{"class": "application", "fails": true}], "inventory": {"gpu.mig": true,
      "host.container": "pod"}, "errors": [{"api": "nvml", "text": "Insufficient Permissions"}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "privileged=true"}])";
  EXPECT_EQ(best(denied), "device_access_denied");
  EXPECT_EQ(score(denied, "nccl_socket_fallback"), 0);
  EXPECT_LT(score(denied, "mig_left_enabled"), .5);
}

TEST(TaughtHost, AManagerThatCrashesDoesNotRun) {
  const auto state = [](const std::string& word) {
    return R"("metrics": [{"class": "application", "fails": true}], "inventory": {"topology.nvswitch": true,
        "fabric_manager.state": ")" +
           word + R"("})";
  };
  EXPECT_EQ(best(state("keeps crashing")), "fabric_manager_down");
  EXPECT_EQ(score(state("active"), "fabric_manager_down"), 0);
}

}  // namespace taught_host
}  // namespace
}  // namespace gpugauge::diagnose
