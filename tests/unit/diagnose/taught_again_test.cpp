// What further reports that nobody here had read showed. Made-up reports, and beside each one that means another thing.
#include <gtest/gtest.h>

#include "unit/diagnose/taught.hpp"

namespace gpugauge::diagnose {
namespace {
namespace taught_again {

using made_up::best;
using made_up::score;

const std::string no_start = R"("metrics": [{"class": "init", "factor": null}])";

TEST(TaughtAgain, ABrandAloneTellsNothingOfForwardCompatibility) {
  const std::string geforce = R"("about": {"gpu": "RTX 3090"}, )" + no_start;
  EXPECT_EQ(score(geforce + R"(, "inventory": {"gpu.brand": "GeForce"})", "forward_compat_on_geforce"), 0);
  EXPECT_EQ(
      best(geforce + R"(, "inventory": {"driver.libcuda_path": "/usr/local/cuda/compat/libcuda.so.1"})"),
      "forward_compat_on_geforce");
}

TEST(TaughtAgain, AFabricManagerWithNothingToManageHasNoWrongVersion) {
  const std::string versions =
      R"("inventory": {"driver.version": "515.105.01", "fabric_manager.version": "520.61.05",
         "fabric_manager.state": "failed"})";
  const std::string idle = R"(, "log": ["nv-fabricmanager: failed with error: NV_WARN_NOTHING_TO_DO"])";
  EXPECT_EQ(best(versions), "fabric_manager_version_mismatch");
  EXPECT_EQ(best(versions + idle), "");
  EXPECT_EQ(best(versions + idle + R"(, "errors": [{"api": "cuda", "code": 802}])"),
            "fabric_manager_version_mismatch")
      << "something does wait for it";
}

TEST(TaughtAgain, AModuleThatSecureBootRefusesIsNotMissing) {
  const auto loaded = [](bool secure) {
    return no_start + R"(, "inventory": {"host.secure_boot": )" + (secure ? "true" : "false") +
           R"(, "driver.kernel_module_version": null}, "log": ["Kernel module load error: Operation not permitted"])";
  };
  EXPECT_EQ(best(loaded(true)), "secure_boot_rejects_module");
  EXPECT_LT(score(loaded(true), "kernel_module_missing"), confident);
  EXPECT_EQ(best(loaded(false)), "kernel_module_missing");
}

TEST(TaughtAgain, ASlowNodeAloneHasNoOtherVersions) {
  const auto nodes = [](const std::string& more) {
    return R"("about": {"gpus": 16, "nodes": 2, "compared_with": "peers"}, "metrics": [
        {"class": "coll_large", "factor": 1.8, "scope": {"node": "a with b"}},
        {"class": "coll_large", "factor": 1.8, "scope": {"node": "a with c"}},
        {"class": "coll_large", "factor": 1.0, "scope": {"node": "b with c"}}],
        "environment": {"NCCL_ALGO": "Ring"}, "probes": [{"name": "swap_node", "outcome": "recovers"}])" +
           more;
  };
  EXPECT_EQ(score(nodes(""), "nccl_node_mismatch"), 0);
  EXPECT_EQ(score(nodes(""), "nccl_env_leftover"), 0) << "the others have the same variables";
  EXPECT_EQ(best(nodes(R"(, "changed": {"nccl": ["2.21.5", "2.27.3"]})")), "nccl_node_mismatch");
}

TEST(TaughtAgain, CallsThatOnlyJoinTheQueueAreNoMeasurement) {
  const auto timed = [](const char* first, const char* later) {
    return std::string(R"("metrics": [{"class": "conv", "factor": 1, "scope": {"op": "conv3d", "phase": ")") +
           first + R"("}}, {"class": "conv", "factor": 1400, "scope": {"op": "conv3d", "phase": ")" + later +
           "\"}}]";
  };
  EXPECT_EQ(best(timed("first_call", "warm")), "measurement_method");
  EXPECT_EQ(score(timed("first_call", "warm"), "cpu_fallback_per_op"), 0);
  EXPECT_EQ(score(timed("forward", "backward"), "measurement_method"), 0);
}

TEST(TaughtAgain, AnotherReferenceThatTheWorkReachesSpeaksAgainstTheLink) {
  const auto decode = [](const char* other, const char* gpu) {
    return std::string(R"("about": {"compared_with": "expected"}, "metrics": [
        {"class": "application", "factor": 1.5, "scope": {"op": "inference", "phase": "decode"}},
        {"class": "application", "factor": )") +
           other + R"(, "scope": {"op": "inference", "phase": "decode", "gpu": ")" + gpu +
           R"("}}], "telemetry": {"pcie_width": 4, "pcie_width_max": 16})";
  };
  EXPECT_EQ(best(decode("0.92", "")), "");
  EXPECT_EQ(best(decode("1.4", "")), "pcie_link_degraded");
  EXPECT_EQ(best(decode("0.92", "1")), "pcie_link_degraded") << "another GPU is no other reference";
}

TEST(TaughtAgain, WhatIsQuickerBesideOtherWorkIsAClockAndNoNeighbour) {
  const auto noted = [](const char* note) {
    return std::string(R"("metrics": [{"class": "application", "factor": 1.5, "note": ")") + note + "\"}]";
  };
  const char* const idle =
      "latency is higher while the processors are mostly idle, lower while other work keeps the "
      "processors busy";
  EXPECT_EQ(best(noted(idle)), "cpu_governor");
  EXPECT_EQ(best(noted("latency is higher while other work keeps the processors busy")), "cpu_contention");
}

TEST(TaughtAgain, WhatPassesByItselfBlamesNoVersion) {
  const auto tried = [](const std::string& more) {
    return R"("about": {"compared_with": "other_configuration"}, "metrics": [{"class": "framework_op", "factor": 2,
        "scope": {"framework": "torch"}}], "probes": [{"name": "change_version", "outcome": "recovers",
        "detail": "framework=0.4.1"})" +
           more + "]";
  };
  EXPECT_EQ(best(tried("")), "framework_op_regression");
  EXPECT_EQ(score(tried(R"(, {"name": "repeat_later", "outcome": "recovers"})"), "framework_op_regression"),
            0);
}

TEST(TaughtAgain, TheVersionThatIsThereIsNoGoingBack) {
  const auto tried = [](const char* version) {
    return R"("changed": {"driver": ["471.96", "472.12"]}, "metrics": [{"class": "application", "factor": 2}],
        "probes": [{"name": "change_version", "outcome": "no_change", "detail": "driver=)" +
           std::string(version) + "\"}]";
  };
  EXPECT_EQ(best(tried("471.96")), "false_attribution");
  EXPECT_EQ(score(tried("472.12"), "false_attribution"), 0) << "it was installed again";
}

TEST(TaughtAgain, ASettingWithWhichItIsNormalMendsIt) {
  const auto set = [](const char* outcome) {
    return std::string(R"("metrics": [{"class": "h2d", "factor": 5.3, "scope": {"op": "load_state_dict"}}],
        "probes": [{"name": "change_setting", "detail": "pin_memory=True", "outcome": ")") +
           outcome + "\"}]";
  };
  EXPECT_EQ(best(set("normal")), "pageable_memory");
  EXPECT_EQ(score(set("no_change"), "pageable_memory"), 0);
}

TEST(TaughtAgain, NoTf32BeforeAmpere) {
  const auto on = [](const char* gpu) {
    return std::string(R"("about": {"gpu": ")") + gpu +
           R"("}, "changed": {"framework": ["1.3", "1.6"]}, "metrics": [{"class": "gemm32", "factor": 1.6,
           "scope": {"framework": "torch"}}], "settings": {"torch.allow_tf32": false})";
  };
  EXPECT_GT(score(on("A100"), "tf32_disabled_by_framework_default"), 0);
  EXPECT_EQ(score(on("V100"), "tf32_disabled_by_framework_default"), 0);
  EXPECT_EQ(score(on("RTX 2080 Ti"), "tf32_disabled_by_framework_default"), 0);
}

TEST(TaughtAgain, PeerCopiesThatArriveWrongPassThroughTheIommu) {
  const auto wrong = [](const char* path) {
    return std::string(R"("metrics": [{"class": "integrity", "factor": null, "scope": {"path": ")") + path +
           "\"}}]";
  };
  EXPECT_EQ(best(wrong("p2p")), "iommu_translation");
  EXPECT_LT(score(wrong("p2p"), "iommu_translation"), confident);
  EXPECT_EQ(best(wrong("")), "");
}

TEST(TaughtAgain, AnUnlicensedGuestRefusesWork) {
  const auto guest = [](const char* licence) {
    return R"("about": {"gpu": "A10-24Q"}, "metrics": [{"class": "application", "factor": null}],
        "inventory": {"host.virtualization": "vgpu", "gpu.vgpu_license": ")" +
           std::string(licence) +
           R"("}, "errors": [{"api": "cuda", "code": 46, "text": "CUDA-capable device(s) is/are busy or unavailable"}])";
  };
  EXPECT_EQ(best(guest("Unlicensed")), "vgpu_unlicensed");
  EXPECT_GE(score(guest("Unlicensed"), "vgpu_unlicensed"), confident);
  EXPECT_LT(score(guest("Licensed"), "vgpu_unlicensed"), confident);
}

TEST(TaughtAgain, AModeIsNoCauseWithoutItsError) {
  const std::string exclusive = R"(, "settings": {"compute_mode": "Exclusive_Process"})";
  const auto failed = [&](const char* code, const std::string& settings) {
    return no_start + R"(, "errors": [{"api": "cuda", "code": )" + code + "}]" + settings;
  };
  EXPECT_EQ(best(failed("46", exclusive)), "compute_mode_restricts");
  EXPECT_EQ(score(failed("802", exclusive), "compute_mode_restricts"), 0);
  EXPECT_EQ(
      score(failed("46",
                   R"(, "settings": {"compute_mode": "Default"}, "log": ["Exclusive_Process elsewhere"])"),
            "compute_mode_restricts"),
      0);
  const std::string slow =
      R"("metrics": [{"class": "launch", "factor": 1.8}], "probes": [{"name": "change_setting",
      "outcome": "recovers", "detail": ")";
  EXPECT_EQ(score(slow + "taskset -c 0-15\"}]", "compute_mode_restricts"), 0);
  EXPECT_EQ(score(slow + "srun=--exclusive\"}]", "compute_mode_restricts"), 0);
}

TEST(TaughtAgain, WhatIsNormalOnAnIdleMachineHasANeighbour) {
  const std::string note =
      R"("metrics": [{"class": "launch", "factor": 1.9, "note": "latency is higher while a backup job runs, and normal when the machine is idle"}], "telemetry": {"cpu_load_percent": 98})";
  EXPECT_EQ(best(note), "cpu_contention");
}

TEST(TaughtAgain, AGpuThatWorksWasNotRefused) {
  const std::string no_permission =
      R"(, "errors": [{"api": "nvml", "code": 4, "text": "Insufficient Permissions"}])";
  EXPECT_EQ(best(no_start + no_permission), "device_access_denied");
  EXPECT_EQ(score(R"("metrics": [{"class": "application", "factor": 1.3}])" + no_permission,
                  "device_access_denied"),
            0)
      << "a clock may not be set";
  EXPECT_EQ(score(no_start + R"(, "errors": [{"api": "nvml", "code": 17,
      "text": "GPU access blocked by the operating system"}])",
                  "device_access_denied"),
            0);
  EXPECT_EQ(score(R"("metrics": [{"class": "h2d", "factor": 1.3}], "probes": [{"name": "change_setting",
      "outcome": "recovers", "detail": "resizable bar=on"}])",
                  "pci_region_not_assigned"),
            0);
}

TEST(TaughtAgain, AnImageLacksComputeOnlyWhereSomethingFails) {
  const auto asked = [](const std::string& metrics, const char* capabilities) {
    return metrics + R"(, "environment": {"NVIDIA_DRIVER_CAPABILITIES": ")" + capabilities + "\"}";
  };
  EXPECT_EQ(best(asked(no_start, "utility")), "image_without_compute");
  EXPECT_EQ(score(asked(no_start, ""), "image_without_compute"), 0) << "the toolkit's own, with compute";
  EXPECT_EQ(score(asked(R"("metrics": [{"class": "application", "factor": 1.4}])", "video,utility"),
                  "image_without_compute"),
            0);
}

TEST(TaughtAgain, AStartAfterIdlingIsNoQueue) {
  const auto launches = [](const char* phase, const char* factor) {
    return std::string(R"("metrics": [{"class": "launch", "factor": 1, "scope": {"phase": "first_call"}},
        {"class": "launch", "factor": )") +
           factor + R"(, "scope": {"phase": ")" + phase + "\"}}]";
  };
  EXPECT_EQ(score(launches("after_idle", "2500"), "measurement_method"), 0);
  EXPECT_EQ(score(launches("warm", "40"), "measurement_method"), 0);
  EXPECT_GT(score(launches("warm", "2500"), "measurement_method"), 0);
}

TEST(TaughtAgain, MpsThatMendsIsNotAtFault) {
  const auto set = [](const char* mps) {
    return no_start + R"(, "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "mps=)" +
           mps + "\"}]";
  };
  EXPECT_EQ(best(set("off")), "mps_connection_failed");
  EXPECT_EQ(score(set("on"), "mps_connection_failed"), 0);
}

TEST(TaughtAgain, ASearchThatCostsTimeIsNoSlowHeuristic) {
  const auto tried = [](const char* detail) {
    return std::string(R"("metrics": [{"class": "conv", "factor": 2.0}], "probes": [{"name": "change_setting",
        "outcome": "recovers", "detail": ")") +
           detail + R"("}])";
  };
  EXPECT_EQ(best(tried("cudnn_conv_algo_search=EXHAUSTIVE")), "cudnn_heuristic_regression");
  EXPECT_NE(best(tried("cudnn_conv_algo_search=HEURISTIC")), "cudnn_heuristic_regression");
}

TEST(TaughtAgain, GdrCopyIsNotGpuDirectRdma) {
  const auto tried = [](const char* detail) {
    return std::string(R"("about": {"nodes": 2}, "metrics": [{"class": "coll_large", "factor": 2.0}],
        "probes": [{"name": "change_setting", "outcome": "recovers", "detail": ")") +
           detail + R"("}])";
  };
  EXPECT_EQ(best(tried("NCCL_NET_GDR_LEVEL=SYS")), "gdr_disabled");
  EXPECT_LT(score(tried("ucx.gdr_copy=on"), "gdr_disabled"), .35);
}

TEST(TaughtAgain, RanksThatCallUnlikeCollectivesAreTheirPrograms) {
  const auto told = [](const char* text) {
    return std::string(
               R"("metrics": [{"class": "application", "fails": true}], "errors": [{"api": "framework",
        "text": ")") +
           text + R"("}])";
  };
  EXPECT_GT(score(told("NCCL version mismatch between ranks"), "nccl_node_mismatch"), .35);
  EXPECT_EQ(
      score(told("Detected mismatch between collectives on ranks. Rank 0 is running inconsistent collective"),
            "nccl_node_mismatch"),
      0);
}

TEST(TaughtAgain, AFatalErrorOfALinkIsALostGpuAndNoSmallSharedMemory) {
  const std::string log =
      R"x("metrics": [{"class": "application", "fails": true}], "log": [
         "pcieport 0000:00:03.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer",
         "nvidia 0000:03:00.0: AER: can't recover (no error_detected callback)",
         "pcieport 0000:00:03.0: AER: device recovery failed"])x";
  EXPECT_EQ(best(log), "gpu_lost");
  EXPECT_EQ(score(log, "shm_too_small"), 0);
}

TEST(TaughtAgain, ADriverThatRunsThisCudaIsNotTooOldForIt) {
  const auto wanted = [](const char* toolkit) {
    return std::string(
               R"("metrics": [{"class": "init", "fails": true}], "errors": [{"api": "driver", "code": 36,
        "text": "API call is not supported in the installed CUDA driver"}],
        "inventory": {"driver.cuda_max": "13.0", "cuda.toolkit": ")") +
           toolkit + R"("})";
  };
  EXPECT_GE(score(wanted("13.1"), "driver_too_old"), .7);
  EXPECT_LT(score(wanted("12.8"), "driver_too_old"), .7);
}

TEST(TaughtAgain, AVersionThatWasBroughtBackAndIsWorseConfirmsTheOneBefore) {
  const std::string driver =
      R"("about": {"compared_with": "earlier"}, "changed": {"driver": ["566.36", null]},
      "metrics": [{"class": "application", "factor": 2.0}], "probes": [)";
  const std::string back =
      R"({"name": "same_binary_old_driver", "outcome": "recovers", "detail": "driver=566.36"})";
  const std::string again =
      R"({"name": "change_version", "outcome": "worse", "detail": "driver=a newer one"})";
  EXPECT_EQ(best(driver + back + ", " + again + "]"), "driver_regression");
  EXPECT_NE(best(driver + again + "]"), "false_attribution") << "a later one tells nothing of the one before";
  const std::string before =
      R"({"name": "change_version", "outcome": "worse", "detail": "driver=560.35.03"})";
  EXPECT_EQ(best(R"("about": {"compared_with": "earlier"}, "changed": {"driver": ["560.35.03", "566.36"]},
      "metrics": [{"class": "application", "factor": 2.0}], "probes": [)" +
                 before + "]"),
            "false_attribution");
}

TEST(TaughtAgain, BesideAVersionThatIsItTheOthersClearedAreNoAnswer) {
  const std::string both = R"("about": {"compared_with": "earlier"}, "changed": {"cudnn": ["9.1", "9.7"],
      "cublas": ["12.4", "12.8"]}, "metrics": [{"class": "application", "factor": 30.0}], "probes": [
      {"name": "change_version", "outcome": "no_change", "detail": "cublas=12.4"}, {"name": "change_version",
      "outcome": ")";
  const std::string cudnn = R"(", "detail": "cudnn=9.1"}])";
  EXPECT_EQ(best(both + "recovers" + cudnn), "cudnn_version_regression");
  EXPECT_LT(score(both + "recovers" + cudnn, "false_attribution"), .7);
  EXPECT_GE(score(both + "no_change" + cudnn, "false_attribution"), .7);
}

}  // namespace taught_again
}  // namespace
}  // namespace gpugauge::diagnose
