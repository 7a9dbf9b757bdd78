// What typical reports of starts, clocks, collectives and changes showed. Made-up reports, and beside each one that
// means another thing.
#include <gtest/gtest.h>

#include "unit/diagnose/taught.hpp"

namespace gpugauge::diagnose {
namespace {
namespace taught_typical {

using made_up::best;
using made_up::score;

TEST(TaughtTypical, ANameThatEndsInCudaIsNoAnswer) {
  const auto error = [](const std::string& text) {
    return R"("metrics": [{"class": "application", "fails": true}], "errors": [{"text": ")" + text + R"("}])";
  };
  EXPECT_EQ(score(error("error in roi_align_cuda: no kernel image is available"), "built_without_cuda"), 0);
  EXPECT_GT(score(error("GPU features: CUDA: NO"), "built_without_cuda"), .3);
}

TEST(TaughtTypical, TensorFlowCompilesForAGpuThatItsBuildLacks) {
  const std::string line =
      R"("TensorFlow was not built with CUDA kernel binaries compatible with compute capability 8.6. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.")";
  EXPECT_EQ(best(R"("log": [)" + line + "]"), "ptx_jit_startup");
  EXPECT_EQ(best(R"("log": [)" + line + R"(, "restart", )" + line + "]"), "jit_cache_disabled");
  EXPECT_EQ(best(R"("environment": {"CUDA_CACHE_MAXSIZE": "4194304"}, "log": [)" + line + R"(, "restart", )" +
                 line + "]"),
            "jit_cache_disabled");
  EXPECT_EQ(score(R"("environment": {"CUDA_CACHE_MAXSIZE": "4294967296"}, "log": [)" + line + "]",
                  "jit_cache_disabled"),
            0);
}

TEST(TaughtTypical, OneProgramUnderTwoDriversAndTheFirstAgain) {
  const auto runs = [](const std::string& again) {
    return R"("metrics": [{"class": "application", "factor": 1.4}], "log": ["Driver Version: 470.82.01", "eval: 40.0 tokens/s",
        "Driver Version: 510.47.03", "eval: 28.6 tokens/s", "Driver Version: 470.82.01", "eval: )" +
           again + R"( tokens/s"])";
  };
  EXPECT_EQ(best(runs("39.9")), "driver_regression");
  EXPECT_LT(score(runs("28.5"), "driver_regression"), .5);
}

TEST(TaughtTypical, ALockThatHelpsBehindAPauseWasMissing) {
  const auto slow = [](const std::string& phase) {
    return R"("metrics": [{"class": "application", "factor": 2.6, "scope": {"phase": ")" + phase +
           R"("}}, {"class": "application", "factor": 1.0, "scope": {"phase": "back_to_back"}}], "probes":
        [{"name": "change_setting", "outcome": "recovers", "detail": "nvidia-smi -lgc 1710"}])";
  };
  EXPECT_EQ(best(slow("after_idle")), "idle_clock_ramp");
  EXPECT_EQ(score(slow("after_idle"), "locked_clocks_left"), 0);
}

TEST(TaughtTypical, ATableShowsTheClockRiseBehindAPause) {
  const auto table = [](const std::string& first) {
    return R"("log": ["timestamp, pstate, clocks.current.sm [MHz], utilization.gpu [%]", "10:31:02, P8, 210 MHz, 0 %",
        "10:31:03, P5, )" +
           first +
           R"( MHz, 41 %", "10:31:04, P2, 1860 MHz, 98 %", "request 1: 15.0 ms", "60 s without requests",
        "request 2: 47.0 ms"])";
  };
  EXPECT_EQ(best(table("645")), "idle_clock_ramp");
  EXPECT_EQ(best(table("1850")), "");
}

TEST(TaughtTypical, ABusyGpuStaysBelowTheClockThatWasSet) {
  const auto table = [](const std::string& reasons) {
    return R"("metrics": [{"class": "application", "factor": 1.9}], "log": ["$ nvidia-smi -rgc", "All done.",
        "nvidia-smi --query-gpu=pstate,clocks.sm,clocks.max.sm,clocks_event_reasons.active,utilization.gpu --format=csv,noheader",
        "P0, 795 MHz, 1530 MHz, )" +
           reasons + R"(, 100 %"])";
  };
  EXPECT_EQ(best(table("0x0000000000000000")), "driver_clock_control_fault");
  EXPECT_EQ(score(table("0x0000000000000040"), "driver_clock_control_fault"), 0);
}

TEST(TaughtTypical, TwoGpusAtOneClockAndOneDrawsLess) {
  const auto table = [](const std::string& watts) {
    return R"("metrics": [{"class": "application", "factor": 1.5, "scope": {"gpu": "1"}}], "log":
        ["# gpu   pwr gtemp    sm   mem  mclk  pclk", "    0   398    61   100    54  1593  1410", "    1   )" +
           watts + R"(    44   100    36  1593  1410", "clocks_event_reasons.active: 0x0000000000000000"])";
  };
  EXPECT_EQ(best(table("236")), "hidden_power_state");
  EXPECT_EQ(score(table("390"), "hidden_power_state"), 0);
}

TEST(TaughtTypical, AResetInVainOfAClockThatIsFineIsNoFaultOfIt) {
  const auto clock = [](const std::string& mhz) {
    return R"("metrics": [{"class": "gemm16", "factor": 1.5}], "telemetry": {"sm_clock_mhz": )" + mhz +
           R"(, "sm_clock_expected_mhz": 1980, "throttle_reasons": ["none"]}, "probes": [{"name": "reset_clocks",
        "outcome": "no_change"}])";
  };
  EXPECT_EQ(score(clock("1980"), "driver_clock_control_fault"), 0);
  EXPECT_EQ(best(clock("1200")), "driver_clock_control_fault");
}

TEST(TaughtTypical, AManagerOfAnotherVersionIsToldByItsPackage) {
  const auto packages = [](const std::string& manager) {
    return R"("metrics": [{"class": "application", "fails": true, "note": "dpkg: nvidia-driver-525-server 525.147.05, nvidia-fabricmanager-525 )" +
           manager + R"("}], "inventory": {"fabric_manager.state": "failed", "topology.nvswitch": true},
        "errors": [{"api": "cuda", "code": 802}])";
  };
  EXPECT_EQ(best(packages("525.125.06")), "fabric_manager_version_mismatch");
  EXPECT_EQ(best(packages("525.147.05")), "fabric_manager_down");
}

TEST(TaughtTypical, AProfileOfConversions) {
  const auto profile = [](const std::string& share) {
    return R"("log": ["   )" + share +
           R"(   812,331,120   5200  void cudnn::ops::nchwToNhwcKernel<__half>"])";
  };
  EXPECT_EQ(best(profile("24.1")), "conv_layout_path");
  EXPECT_EQ(best(profile("0.4")), "");
}

TEST(TaughtTypical, ALogTimesASearch) {
  const auto times = [](const std::string& searched) {
    return R"("metrics": [{"class": "conv", "factor": 4.7}], "log": ["cudnn.benchmark=False: 61.3 ms/iter",
        "cudnn.benchmark=True: )" +
           searched + R"( ms/iter"])";
  };
  EXPECT_EQ(best(times("12.9")), "cudnn_heuristic_regression");
  EXPECT_EQ(score(times("61.0"), "cudnn_heuristic_regression"), 0);
}

TEST(TaughtTypical, APluginThatNeedsAnotherLibraryIsThere) {
  const auto missing = [](const std::string& file) {
    return R"("metrics": [{"class": "coll_large", "factor": 5}], "log": ["NCCL INFO NET/Plugin : dlerror=)" +
           file +
           R"(: cannot open shared object file: No such file or directory No plugin found (libnccl-net.so), using internal implementation",
        "NCCL INFO Using network Socket"])";
  };
  EXPECT_EQ(best(missing("libfabric.so.1")), "nccl_plugin_load_failure");
  EXPECT_NE(best(missing("libnccl-net.so")), "nccl_plugin_load_failure");
}

TEST(TaughtTypical, AFileOfNcclTakesAPathAway) {
  const auto file = [](const std::string& text) {
    return R"("about": {"gpus": 4}, "metrics": [{"class": "coll_large", "factor": 2.4}], "settings": {"/etc/nccl.conf": ")" +
           text + R"("})";
  };
  EXPECT_EQ(best(file("NCCL_P2P_LEVEL=LOC")), "nccl_env_leftover");
  EXPECT_EQ(score(file("NCCL_DEBUG=WARN"), "nccl_env_leftover"), 0);
}

TEST(TaughtTypical, NodesOfUnlikeVersions) {
  const auto plugins = [](const std::string& other) {
    return R"("about": {"nodes": 8}, "metrics": [{"class": "coll_large", "factor": 2}], "inventory": {"nccl.plugin":
        ["aws-ofi-nccl 1.7.4 on n1", "aws-ofi-nccl )" +
           other + R"( on n2"]})";
  };
  EXPECT_EQ(best(plugins("1.5.0")), "nccl_node_mismatch");
  EXPECT_EQ(score(plugins("1.7.4"), "nccl_node_mismatch"), 0);
  const auto put_in = [](const std::string& where) {
    return R"("metrics": [{"class": "application", "fails": true, "note": "hangs"}], "probes": [{"name": "change_version",
        "outcome": "recovers", "detail": "nccl=2.18.6)" +
           where + R"("}])";
  };
  EXPECT_EQ(best(put_in(" on node 4")), "nccl_node_mismatch");
  EXPECT_EQ(score(put_in(""), "nccl_node_mismatch"), 0);
}

TEST(TaughtTypical, AGroupOfDevicesHoldsNoProcessorBack) {
  const auto transport = [](const std::string& way) {
    return R"("about": {"gpus": 4}, "metrics": [{"class": "application", "factor": 1.8}], "inventory": {)" +
           way +
           R"("topology.path": "nvlink"}, "probes": [{"name": "outside_cgroup", "outcome": "recovers"}])";
  };
  EXPECT_LT(score(transport(R"("nccl.transport": "shm", )"), "cgroup_cpu_limit"), .5);
  EXPECT_EQ(best(transport("")), "cgroup_cpu_limit");
}

TEST(TaughtTypical, ProcessorsOfTheOtherNode) {
  const auto list = [](const std::string& of) {
    return R"("log": ["GPU0     X      SYS     32-63,96-127    1", "pid 4012's current affinity list: )" +
           of +
           R"(", "Host to Device Bandwidth PINNED 11.8", "numactl -N 1 -m 1: Host to Device Bandwidth PINNED 24.9"])";
  };
  EXPECT_EQ(best(list("0-31,64-95")), "numa_misplacement");
  EXPECT_EQ(best(list("0-127").substr(0, list("0-127").find(R"(, "numactl)")) + "]"), "");
}

TEST(TaughtTypical, SlowCopiesBesideTheGpusProcessors) {
  const auto allowed = [](const std::string& of) {
    return R"("metrics": [{"class": "h2d", "factor": 2.0}], "log": ["GPU0\t X \tPXB\t24-47,72-95\t1", "Cpus_allowed_list:\t)" +
           of + R"("])";
  };
  EXPECT_EQ(best(allowed("0-23,48-71")), "numa_misplacement");
  EXPECT_EQ(score(allowed("24-30"), "numa_misplacement"), 0);
}

TEST(TaughtTypical, UnlikeArgumentsAreNoFaultOfTheMemory) {
  const auto tried = [](const std::string& detail) {
    return R"("metrics": [{"class": "h2d", "factor": 2.0}], "probes": [{"name": "change_setting", "outcome": "recovers",
        "detail": ")" +
           detail + R"("}])";
  };
  EXPECT_EQ(best(tried("same arguments, --memory=pinned")), "measurement_method");
  EXPECT_EQ(best(tried("cudaHostRegister")), "pageable_memory");
}

TEST(TaughtTypical, ASessionThatHasTheProcessorOnly) {
  const auto note = [](const std::string& text) {
    return R"("metrics": [{"class": "application", "factor": 15, "note": "InferenceSession(): )" + text +
           R"("}], "probes": [{"name": "change_version", "outcome": "recovers", "detail": "cudnn=9.1"}])";
  };
  EXPECT_EQ(best(note("get_providers() gives only CPUExecutionProvider")), "ort_cuda_ep_fallback");
  EXPECT_NE(best(note("get_providers() gives CUDAExecutionProvider")), "ort_cuda_ep_fallback");
}

TEST(TaughtTypical, SettingsThatARestartTookAndAHandGivesBack) {
  const auto since = [](const std::string& when) {
    return R"("metrics": [{"class": "application", "factor": 1.2, "note": "slower )" + when +
           R"(, what had been typed in by hand is gone"}], "probes": [{"name": "change_setting", "outcome": "recovers",
        "detail": "nvidia-smi -pm 1, nvidia-smi -lmc 10501"}])";
  };
  EXPECT_EQ(best(since("since the reboot")), "settings_lost_on_reboot");
  EXPECT_EQ(score(since("today"), "settings_lost_on_reboot"), 0);
}

TEST(TaughtTypical, GoingBackRestartsAndClearsNoSetting) {
  const auto back = [](const std::string& changed) {
    return R"("changed": {"driver": ["525.105.17", "535.104.05"])" + changed +
           R"(}, "metrics": [{"class": "gemm16", "factor": 1.3}], "probes": [{"name": "same_binary_old_driver",
        "outcome": "no_change", "detail": "driver=525.105.17"})";
  };
  const std::string again =
      R"(, {"name": "change_setting", "outcome": "recovers", "detail": "nvidia-smi -ac 1215,1410"}])";
  EXPECT_EQ(best(back(R"(, "application_clock_mhz": [1410, 1095])") + again), "settings_lost_on_reboot");
  EXPECT_EQ(best(back("") + "]"), "false_attribution");
}

TEST(TaughtTypical, RedirectionThatARestartBroughtBack) {
  const auto flags = [](const std::string& before, const std::string& after) {
    return R"("log": ["reboot   system boot  5.15.0-91-generic", "before: ACSCtl: SrcValid- ReqRedir)" +
           before + R"(", "after: ACSCtl: SrcValid- ReqRedir)" + after + R"("])";
  };
  EXPECT_EQ(best(flags("-", "+")), "settings_lost_on_reboot");
  EXPECT_EQ(score(flags("-", "-"), "settings_lost_on_reboot"), 0);
}

TEST(TaughtTypical, AVolumeOfMemoryForAPod) {
  const auto mounted = [](const std::string& detail) {
    return R"("metrics": [{"class": "application", "fails": true, "note": "workers end with SIGBUS"}], "probes":
        [{"name": "change_setting", "outcome": "recovers", "detail": ")" +
           detail + R"("}])";
  };
  EXPECT_EQ(best(mounted("emptyDir medium=Memory mounted")), "shm_too_small");
  EXPECT_LT(score(mounted("another node"), "shm_too_small"), .7);
}

TEST(TaughtTypical, OneNodesComputingIsDownAndItsMemoryIsNot) {
  const auto lost = [](const std::string& other) {
    return R"("about": {"compared_with": "peers"}, "metrics": [{"class": "application", "factor": 1.2, "scope": {"op": "HPL"}},
        {"class": "application", "factor": )" +
           other +
           R"(, "scope": {"op": "NAMD"}}, {"class": "gemm16", "factor": 1.21}, {"class": "hbm", "factor": 1.0}],
        "probes": [{"name": "swap_node", "outcome": "recovers"}])";
  };
  EXPECT_EQ(best(lost("1.19")), "power_or_clock");
  EXPECT_EQ(score(lost("1.9"), "power_or_clock"), 0);
}

TEST(TaughtTypical, AnUpgradeThatWasTakenBackAsAWhole) {
  const auto back = [](const std::string& detail) {
    return R"("metrics": [{"class": "application", "factor": 1.2, "note": "driver 470 to 535, CUDA 11.4 to 12.2, new torch"}],
        "probes": [{"name": "change_version", "outcome": "recovers", "detail": ")" +
           detail + R"("}])";
  };
  EXPECT_EQ(best(back("stack=as before")), "stack_upgrade_mixed");
  EXPECT_EQ(score(back("framework=1.10"), "stack_upgrade_mixed"), 0);
}

}  // namespace taught_typical
}  // namespace
}  // namespace gpugauge::diagnose
