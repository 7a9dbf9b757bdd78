// What a report only tells: in a note, a setting, a count without its maximum. Made-up reports, and beside
// them one that tells something near it and means another thing.
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"

namespace gpugauge::diagnose {
namespace {

/// The best finding's cause; "" where nothing is named.
std::string best(const std::string& text) {
  const Diagnosis diagnosis = diagnose(parse_observation(text, "told"));
  return diagnosis.findings.empty() ? "" : diagnosis.findings.front().cause;
}

/// An application of which the reporter says this.
std::string noted(const std::string& note, const std::string& more = "") {
  return R"({"metrics": [{"class": "application", "factor": 1.8, "note": ")" + note + "\"}]" + more + "}";
}

TEST(Told, AProfilerThatIsAttachedAndNotOneThatMeasured) {
  EXPECT_EQ(best(noted("only under nsys, never without")), "profiler_attached");
  EXPECT_EQ(best(noted("slow as long as profiling is on")), "profiler_attached");
  EXPECT_EQ(best(noted("4.1 ms, read with nvprof; nsys shows the same")), "");
}

TEST(Told, LaunchesThatDominate) {
  EXPECT_EQ(best(noted("the trace shows gaps between kernels")), "framework_launch_overhead");
  EXPECT_EQ(best(noted("it is launch-bound at batch size 1")), "framework_launch_overhead");
  EXPECT_EQ(best(noted("no launch overhead in the trace")), "");
}

TEST(Told, FewLanesWithoutTheirMaximum) {
  EXPECT_EQ(best(R"({"metrics": [{"class": "h2d", "factor": 4}], "telemetry": {"pcie_width": 4}})"),
            "pcie_link_degraded");
  EXPECT_EQ(best(noted("loading a model takes long", R"(, "telemetry": {"pcie_width": 1})")),
            "pcie_link_degraded");
  EXPECT_EQ(best(R"({"metrics": [{"class": "h2d", "factor": 4}], "telemetry": {"pcie_width": 16}})"), "");
}

TEST(Told, TranslationAndRedirectionAsSettings) {
  EXPECT_EQ(best(R"({"metrics": [{"class": "p2p", "factor": 3}], "settings": {"bios.iommu": "enabled"}})"),
            "iommu_translation");
  EXPECT_EQ(best(R"({"metrics": [{"class": "coll_large", "factor": 3}],
      "log": ["Command line: BOOT_IMAGE=/vmlinuz intel_iommu=on quiet"]})"),
            "iommu_translation");
  EXPECT_EQ(best(R"({"metrics": [{"class": "p2p", "factor": 3}], "settings": {"bios.ACS": "Enabled"}})"),
            "acs_enabled");
  EXPECT_NE(best(R"({"metrics": [{"class": "p2p", "factor": 3}],
      "log": ["Command line: intel_iommu=on iommu=pt"]})"),
            "iommu_translation");
}

TEST(Told, LimitsOfProcessorsAsSettings) {
  EXPECT_EQ(best(noted("slow in the pod", R"(, "settings": {"resources.limits.cpu": 2})")),
            "cgroup_cpu_limit");
  EXPECT_EQ(best(noted("slow in the image", R"(, "settings": {"docker.cpus": "1.5"})")), "cgroup_cpu_limit");
  EXPECT_EQ(best(noted("slow in the job", R"(, "settings": {"slurm.cpus_per_task": 1})")),
            "cpu_affinity_wrong");
  EXPECT_EQ(best(noted("slow in the job", R"(, "settings": {"slurm.cpus_per_task": 16})")), "");
}

TEST(Told, OthersOnTheGpu) {
  EXPECT_EQ(best(noted("a second training ran there meanwhile")), "neighbour_process");
  EXPECT_EQ(best(noted("slow", R"(, "telemetry": {"moved": {"other_processes": "higher"}})")),
            "neighbour_process");
  EXPECT_EQ(best(noted("another user reports the same")), "");
}

TEST(Told, HowItWasMeasured) {
  EXPECT_EQ(best(noted("the time includes the first call")), "measurement_method");
  EXPECT_EQ(best(R"({"metrics": [{"class": "framework_op", "factor": 3}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "block_until_ready before the end"}]})"),
            "measurement_method");
  EXPECT_EQ(best(noted("measured after a warm-up of ten iterations")), "");
}

TEST(Told, AClockThatNoGpuAtWorkHas) {
  EXPECT_EQ(best(noted("slow", R"(, "telemetry": {"sm_clock_mhz": 210})")), "power_or_clock");
  EXPECT_EQ(best(R"({"metrics": [{"class": "gemm32", "factor": 5}], "telemetry": {"sm_clock_mhz": 300}})"),
            "power_or_clock");
  EXPECT_EQ(best(noted("slow", R"(, "telemetry": {"sm_clock_mhz": 1410})")), "");
}

TEST(Told, TwoSpeedsWithoutAReason) {
  EXPECT_EQ(best(R"({"metrics": [{"class": "gemm16", "factor": 1.4, "bimodal": true}],
      "telemetry": {"throttle_reasons": ["none"], "sm_clock_mhz": 1700}})"),
            "hidden_power_state");
  EXPECT_EQ(best(R"({"metrics": [{"class": "application", "factor": 1.3, "bimodal": true}],
      "telemetry": {"throttle_reasons": [], "sm_clock_mhz": 1980}})"),
            "hidden_power_state");
  EXPECT_EQ(best(R"({"metrics": [{"class": "application", "factor": 1.3, "bimodal": true}]})"), "");
}

TEST(Told, CountersThatRose) {
  EXPECT_EQ(
      best(noted("crashes now and then", R"(, "telemetry": {"moved": {"ecc_uncorrectable": "higher"}})")),
      "hbm_row_remap");
  EXPECT_EQ(best(noted("odd results", R"(, "telemetry": {"moved": {"retired_pages": "higher"}})")),
            "hbm_row_remap");
  EXPECT_EQ(best(noted("odd results", R"(, "telemetry": {"moved": {"retired_pages": "same"}})")), "");
}

TEST(Told, TheServiceThatSharesALaptopsPower) {
  EXPECT_EQ(best(noted("stays at 55 W", R"(, "probes": [{"name": "change_setting", "outcome": "recovers",
      "detail": "nvidia-powerd.service=disabled"}])")),
            "sw_power_cap");
  EXPECT_EQ(best(noted("80 W, and 140 W on the other system", R"(, "probes": [{"name": "change_setting",
      "outcome": "recovers", "detail": "dynamic boost enabled"}])")),
            "sw_power_cap");
  EXPECT_EQ(best(R"({"metrics": [{"class": "init", "factor": null}], "probes": [{"name": "change_setting",
      "outcome": "recovers", "detail": "nvidia-powerd.service=disabled"}]})"),
            "");
}

TEST(Told, AStartThatGrowsWithTheGpus) {
  EXPECT_EQ(
      best(R"({"metrics": [{"class": "init", "factor": 4, "note": "proportional to the number of GPUs"}]})"),
      "persistence_mode_off");
  EXPECT_EQ(
      best(
          R"({"metrics": [{"class": "init", "value": 20, "unit": "s", "note": "it is worse the more GPUs there are"}]})"),
      "persistence_mode_off");
}

TEST(Told, AFirstStartOfMinutes) {
  EXPECT_EQ(best(R"({"metrics": [{"class": "init", "note": "needs 1-3 minutes at the first start"}],
      "probes": [{"name": "repeat_in_fresh_process", "outcome": "normal"}]})"),
            "ptx_jit_startup");
  EXPECT_EQ(
      best(R"({"metrics": [{"class": "first_launch", "note": "a delay of half a minute at the first use"}],
      "probes": [{"name": "repeat_warm", "outcome": "normal"}]})"),
      "ptx_jit_startup");
}

TEST(Told, PeersThatCannotReachEachOther) {
  const Diagnosis diagnosis =
      diagnose(parse_observation(R"({"metrics": [{"class": "coll_large", "factor": null}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "NCCL_P2P_DISABLE=1"}]})",
                                 "peers"));
  std::vector<std::string> causes;
  for (const Finding& finding : diagnosis.findings) causes.push_back(finding.cause);
  EXPECT_THAT(causes, testing::IsSupersetOf({"iommu_translation", "acs_enabled"}));
}

TEST(Told, AGapBeforeTheSlowCall) {
  EXPECT_EQ(best(noted("the first frame after a break is late")), "idle_clock_ramp");
  EXPECT_EQ(best(noted("only with sparse requests")), "idle_clock_ramp");
  EXPECT_EQ(best(noted("under a steady load of requests")), "");
}

TEST(Told, AFabricManagerThatHasNothingToManage) {
  const std::string failed = R"({"inventory": {"fabric_manager.state": "failed"}, "log": [)";
  EXPECT_EQ(best(failed + R"("nv-fabricmanager: the service failed", "NVSwitch driver: error 802"]})"),
            "fabric_manager_down");
  EXPECT_EQ(best(failed + R"("request to query NVSwitch devices failed: NV_WARN_NOTHING_TO_DO"]})"), "");
  EXPECT_EQ(best(R"({"about": {"gpu": "NVIDIA GeForce RTX 3090", "gpus": 2},
                     "inventory": {"fabric_manager.state": "inactive"}, "log": ["nvidia-fabricmanager failed"]})"),
            "");
}

TEST(Told, NothingToDoWithoutTheSubnetManagerIsAFault) {
  const auto told = [](const std::string& gpu, const std::string& error) {
    return R"({"about": {"gpu": ")" + gpu + R"("}, "inventory": {"fabric_manager.state": "failed"},
        "log": ["query NVSwitch devices failed: NV_WARN_NOTHING_TO_DO", ")" +
           error + R"("]})";
  };
  EXPECT_EQ(best(told("NVIDIA B200", "cudaErrorSystemNotReady")), "fabric_manager_down");
  EXPECT_EQ(best(told("NVIDIA RTX A6000", "")), "") << "no switch, and nothing waits";
  EXPECT_EQ(best(R"({"about": {"gpu": "NVIDIA B200"}, "errors": [{"text": "system not yet initialized"}],
                     "log": ["\"/opt/nvidia/nvlsm/sbin/nvlsm\" does not exist"]})"),
            "fabric_manager_down");
}

TEST(Told, AGuestThatIsFastUntilItsGracePeriodEnds) {
  const auto guest = [](const std::string& gpu, const std::string& more) {
    return R"({"about": {"gpu": ")" + gpu + R"("}, "metrics": [{"class": "application", "factor": 4,
        "note": "fine for a quarter of an hour, then slow"}], "telemetry": {"drift": "worse_with_time"},
        "probes": [{"name": "repeat_in_fresh_process", "outcome": "recovers"}])" +
           more + "}";
  };
  EXPECT_EQ(best(guest("NVIDIA A40-12Q", "")), "vgpu_unlicensed");
  EXPECT_EQ(best(guest("GRID V100D-8C", "")), "vgpu_unlicensed");
  EXPECT_EQ(best(guest("NVIDIA A40", R"(, "inventory": {"gpu.brand": "NVIDIA Virtual Compute Server"})")),
            "vgpu_unlicensed");
  EXPECT_NE(best(guest("NVIDIA A100-PCIE-40GB", "")), "vgpu_unlicensed")
      << "a board's own dash is no profile";
}

TEST(Told, AVariableOfNcclThatOnlyOneOfTwoStartsHas) {
  const std::string slow =
      R"({"metrics": [{"class": "coll_large", "factor": 1.6, "scope": {"op": "all_reduce"}}],
      "environment": {"NCCL_TOPO_FILE": "/opt/topology.xml"})";
  EXPECT_EQ(best(slow + R"(, "probes": [{"name": "native_benchmark", "outcome": "normal"}]})"),
            "nccl_env_leftover");
}

TEST(Told, WorkersThatShareFewCores) {
  EXPECT_EQ(best(noted("slow: only 3 of 24 cores are busy, with 16 workers")), "cpu_affinity_wrong");
  EXPECT_EQ(best(noted("slow; all workers run on the same core")), "cpu_affinity_wrong");
  EXPECT_EQ(best(noted("one core is at 100%, as ever")), "");
}

TEST(Told, ProvidersWithoutCuda) {
  const std::string session =
      R"({"metrics": [{"class": "application", "factor": null, "note": "the CUDA provider is not listed"}],
      "inventory": {"framework.name": "onnxruntime", "framework.providers": )";
  EXPECT_EQ(best(session + R"(["AzureExecutionProvider", "CPUExecutionProvider"]}})"),
            "ort_cuda_ep_fallback");
  EXPECT_NE(best(session + R"(["CUDAExecutionProvider", "CPUExecutionProvider"]}})"), "ort_cuda_ep_fallback");
}

TEST(Told, AutotuningAfterAnotherCudnn) {
  const std::string slow =
      R"({"changed": {"cudnn": ["8.2", "8.4"]}, "metrics": [{"class": "application", "factor": 1.4}],
      "probes": [{"name": "autotune", "outcome": )";
  EXPECT_EQ(best(slow + R"("recovers", "detail": "torch.backends.cudnn.benchmark=True"}]})"),
            "cudnn_heuristic_regression");
  EXPECT_NE(best(slow + R"("no_change", "detail": "torch.backends.cudnn.benchmark=True"}]})"),
            "cudnn_heuristic_regression");
}

TEST(Told, NcclsOwnLineThatNoPluginIsThere) {
  EXPECT_EQ(best(R"({"metrics": [{"class": "coll_large", "factor": 1.0}],
      "log": ["NCCL INFO NET/Plugin: No plugin found (libnccl-net.so), using internal implementation"]})"),
            "");
}

TEST(Told, PeersThatNeverTalkToEachOtherAreNotRedirected) {
  const auto inverted = [](const std::string& gpu) {
    return R"({"about": {"gpu": ")" + gpu + R"(", "gpus": 4}, "metrics": [
        {"class": "p2p", "factor": 1.9, "scope": {"path": "same_switch"}},
        {"class": "p2p", "factor": 1.0, "scope": {"path": "cross_socket"}}]})";
  };
  EXPECT_EQ(best(inverted("NVIDIA A100-PCIE-40GB")), "acs_enabled");
  EXPECT_EQ(best(inverted("NVIDIA GeForce RTX 4080")), "");
}

TEST(Told, AReadingThatNoCardCanHave) {
  const auto capped = [](const std::string& watts) {
    return R"({"metrics": [{"class": "application", "factor": 9}], "telemetry": {"sm_clock_mhz": 300,
        "sm_clock_expected_mhz": 2400, "throttle_reasons": ["sw_power_cap"], "power_w": )" +
           watts + R"(, "power_limit_w": 60, "power_limit_default_w": 80}})";
  };
  EXPECT_EQ(best(capped("59")), "sw_power_cap");
  EXPECT_EQ(best(capped("1022")), "driver_clock_control_fault");
}

TEST(Told, AVariableWithoutWhichItIsTheSame) {
  const std::string slow =
      R"({"metrics": [{"class": "coll_large", "factor": 3, "scope": {"op": "all_gather"}}],
      "environment": {"NCCL_P2P_DISABLE": "1"})";
  EXPECT_EQ(best(slow + "}"), "nccl_env_leftover");
  EXPECT_NE(best(slow + R"(, "probes": [{"name": "change_setting", "outcome": "no_change",
      "detail": "NCCL_P2P_DISABLE=unset"}]})"),
            "nccl_env_leftover");
}

TEST(Told, ALockThatSlowsHasItsEffect) {
  EXPECT_NE(
      best(R"({"metrics": [{"class": "gemm16", "note": "fluctuates"}], "telemetry": {"sm_clock_mhz": 1410,
      "sm_clock_expected_mhz": 1755, "throttle_reasons": ["sw_power_cap"]}, "probes": [{"name": "change_setting",
      "outcome": "worse", "detail": "nvidia-smi -lgc 1410"}]})"),
      "driver_clock_control_fault");
}

TEST(Told, ALibraryThatOnnxRuntimesProviderCannotLoad) {
  EXPECT_EQ(
      best(
          R"({"metrics": [{"class": "application", "note": "works, on the CPU"}], "telemetry": {"ran_on": "cpu"},
      "inventory": {"framework.name": "onnxruntime-gpu"}, "errors": [{"api": "loader", "text": "libcudnn.so.9"}],
      "probes": [{"name": "change_version", "outcome": "recovers", "detail": "cudnn=9.1"}]})"),
      "ort_cuda_ep_fallback");
}

TEST(Told, LessToHoldOnWindows) {
  const auto on = [](const std::string& os) {
    return R"({"metrics": [{"class": "application", "factor": 7}], "telemetry": {"utilization_percent": 99},
        "inventory": {"host.os": ")" +
           os +
           R"("}, "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "batch_size=1"}]})";
  };
  EXPECT_EQ(best(on("windows")), "sysmem_fallback");
  EXPECT_NE(best(on("linux")), "sysmem_fallback");
}

TEST(Told, PagesThatCannotBePinned) {
  EXPECT_EQ(
      best(
          R"({"metrics": [{"class": "h2d", "factor": 2.2}], "log": ["warning: could not pin 24 GiB of weights"]})"),
      "pageable_memory");
}

TEST(Told, TheLayoutThatShouldBeTheFastOne) {
  EXPECT_EQ(best(R"({"metrics": [{"class": "conv", "factor": 12, "scope": {"op": "conv2d", "layout": "NHWC"},
      "note": "depthwise"}], "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "layout=NCHW"}]})"),
            "kernel_specific");
}

TEST(Told, CodeForAnOlderArchitectureOnly) {
  EXPECT_EQ(best(R"({"metrics": [{"class": "first_launch", "scope": {"phase": "startup"},
      "note": "to start takes long"}],
      "inventory": {"cuda.arch_list": ["sm_50"]}, "probes": [{"name": "repeat_warm", "outcome": "normal"},
      {"name": "change_setting", "outcome": "recovers", "detail": "-gencode of this GPU"}]})"),
            "ptx_jit_startup");
}

TEST(Told, MemoryOfAnotherNode) {
  const auto policy = [](const std::string& outcome) {
    return R"(, "probes": [{"name": "change_setting", "outcome": ")" + outcome +
           R"(", "detail": "numactl=--interleave=all"}])";
  };
  EXPECT_EQ(best(noted("tokens per second", policy("worse"))), "numa_misplacement");
  EXPECT_NE(best(noted("tokens per second", policy("no_change"))), "numa_misplacement");
  const std::string bound = R"(, "probes": [{"name": "pin_to_local_numa", "outcome": "no_change"}])";
  EXPECT_EQ(best(noted("the pages of the pinned buffers are on the other node", bound)), "numa_misplacement");
  EXPECT_NE(best(noted("the pages of the pinned buffers are on its own node", bound)), "numa_misplacement");
}

TEST(Told, AVirtualGpuWhoseContextsAreRefused) {
  const auto refused = [](const std::string& where, double used) {
    return R"({"metrics": [{"class": "init", "factor": null}], "inventory": {"host.virtualization": ")" +
           where + R"("}, "telemetry": {"utilization_percent": )" + std::to_string(used) +
           R"(}, "errors": [{"api": "cuda", "text": "all CUDA-capable devices are busy or unavailable"}],
              "probes": [{"name": "nvml_query", "outcome": "succeeds"}]})";
  };
  EXPECT_EQ(best(refused("vgpu", 0)), "vgpu_unlicensed");
  EXPECT_NE(best(refused("vgpu", 90)), "vgpu_unlicensed");
  EXPECT_NE(best(refused("none", 0)), "vgpu_unlicensed");
}

TEST(Told, ASwitchOfNcclThatIsSetToOff) {
  const auto logged = [](const std::string& value) {
    return R"({"metrics": [{"class": "coll_large", "factor": 2.5}],
        "log": ["NCCL INFO NCCL_P2P_DISABLE set by environment to )" +
           value + R"("]})";
  };
  EXPECT_EQ(best(logged("1.")), "nccl_env_leftover");
  EXPECT_EQ(best(logged("0.")), "");
}

}  // namespace
}  // namespace gpugauge::diagnose
