// What typical reports showed of hosts, launches, libraries, links, memory, modules and networks. Made-up reports,
// and beside each one that means another thing.
#include <gtest/gtest.h>

#include "unit/diagnose/taught.hpp"

namespace gpugauge::diagnose {
namespace {
namespace taught_t2 {

using made_up::best;
using made_up::score;

/// A slow application with a note, and what follows.
std::string slow(const std::string& note, const std::string& more = "") {
  return R"("metrics": [{"class": "application", "factor": 1.8, "note": ")" + note + R"("}])" + more;
}

/// A failing application with a note, and what follows.
std::string failing(const std::string& note, const std::string& more = "") {
  return R"("metrics": [{"class": "application", "fails": true, "note": ")" + note + R"("}])" + more;
}

/// A probe that recovers.
std::string recovers(const std::string& name, const std::string& detail) {
  return R"(, "probes": [{"name": ")" + name + R"(", "outcome": "recovers", "detail": ")" + detail + R"("}])";
}

std::string log(const std::string& lines) {
  return R"(, "log": [)" + lines + "]";
}

// -- hosts

TEST(TaughtT2, AQuotaStopsThreadsOnAnIdleMachine) {
  const auto threads = [](const std::string& load) {
    return slow("gaps end on a grid of 100 ms",
                R"(, "settings": {"docker.cpus": "2.0"}, "telemetry": {"cpu_load_percent": )" + load + "}" +
                    recovers("change_setting", "OMP_NUM_THREADS=2"));
  };
  EXPECT_EQ(best(threads("3")), "cgroup_cpu_limit");
  EXPECT_LT(score(threads("3"), "cpu_contention"), .5);
  EXPECT_EQ(best(slow("slow", recovers("change_setting", "OMP_NUM_THREADS=2"))), "cpu_contention");
}

TEST(TaughtT2, OtherWorkOnMostCoresIsContention) {
  const std::string busy = R"("metrics": [{"class": "launch", "factor": 1.7}])";
  EXPECT_EQ(best(busy + log(R"("htop: 30 of 32 cores busy")")), "cpu_contention");
  EXPECT_EQ(score(busy + log(R"("only 2 of 32 cores busy")"), "cpu_contention"), 0);
}

TEST(TaughtT2, WhatALaterRunMendsIsNoContentionByItself) {
  EXPECT_EQ(score(slow("slow", recovers("repeat_later", "")), "cpu_contention"), 0);
}

TEST(TaughtT2, ProcessorsAtTheLowestClockOfTheirPolicy) {
  const auto policy = [](const std::string& now) {
    return R"("metrics": [{"class": "launch", "factor": 1.8}], "log": ["current policy: frequency should be within 1.20 GHz and 3.00 GHz.",
        "current CPU frequency: )" +
           now + R"( asserted by call to hardware"])";
  };
  EXPECT_EQ(best(policy("1.20 GHz")), "cpu_governor");
  EXPECT_EQ(score(policy("2.99 GHz"), "cpu_governor"), 0);
}

TEST(TaughtT2, ThePolicyOrTheFirmwareLimitsTheClock) {
  const std::string launch = R"("metrics": [{"class": "launch", "factor": 1.8}])";
  EXPECT_EQ(
      best(
          launch +
          log(R"("hardware limits: 800 MHz - 3.50 GHz", "current policy: frequency should be within 800 MHz and 1.40 GHz.")")),
      "cpu_governor");
  EXPECT_EQ(
      score(
          launch +
              log(R"("hardware limits: 800 MHz - 3.50 GHz", "current policy: frequency should be within 800 MHz and 3.50 GHz.")"),
          "cpu_governor"),
      0);
  EXPECT_EQ(best(launch + recovers("change_setting", "bios.system_profile=Performance")), "cpu_governor");
  EXPECT_NE(best(launch + recovers("change_setting", "bios.above_4g_decoding=on")), "cpu_governor");
}

TEST(TaughtT2, MpirunBindsARankToOneCore) {
  const auto bound = [](const std::string& how) {
    return slow("slow", R"(, "log": ["[n1:7] MCW rank 1 bound to socket 0[core 1[hwt 0-1]]: [../BB]"])" +
                            recovers("change_setting", how));
  };
  EXPECT_EQ(best(bound("mpirun --bind-to none")), "cpu_affinity_wrong");
  EXPECT_LT(score(bound("mpirun --mca btl tcp"), "cpu_affinity_wrong"), .6);
}

// -- launches

TEST(TaughtT2, ALaunchThatLastsAsLongAsItsKernel) {
  const std::string unset = recovers("unset_environment", "");
  EXPECT_EQ(best(slow("each cudaLaunchKernel lasts as long as its kernel", unset)), "cuda_launch_blocking");
  EXPECT_EQ(score(slow("each kernel lasts as long as before", unset), "cuda_launch_blocking"), 0);
}

TEST(TaughtT2, AMakefileStartsItUnderATool) {
  const auto started = [](const std::string& by) {
    return slow("in ps the tests are children of " + by, recovers("change_setting", "without the wrapper"));
  };
  EXPECT_EQ(best(started("compute-sanitizer")), "profiler_attached");
  EXPECT_EQ(score(started("bash"), "profiler_attached"), 0);
}

TEST(TaughtT2, TheProcessorsTimeGrewAndTheGpusDidNot) {
  const auto table = [](const std::string& gpu) {
    return slow(
        "step",
        log(R"("torch 1 Self CPU time total: 400.0ms Self CUDA time total: 190.0ms", "torch 2 Self CPU time total: 0.66s Self CUDA time total: )" +
            gpu + R"(")"));
  };
  EXPECT_EQ(best(table("190.5ms")), "framework_launch_overhead");
  EXPECT_EQ(score(table("290.5ms"), "framework_launch_overhead"), 0);
}

TEST(TaughtT2, KernelsAsBeforeAndLongerGaps) {
  const std::string changed = R"(, "changed": {"framework": ["numba 0.53", "numba 0.55"]},
      "probes": [{"name": "native_benchmark", "outcome": "normal"}])";
  EXPECT_EQ(best(slow("kernel times are identical, the gaps between them grew", changed)),
            "framework_launch_overhead");
  EXPECT_NE(best(slow("the kernels take twice the time", changed)), "framework_launch_overhead");
  const std::string native =
      R"("metrics": [{"class": "application", "factor": 3, "note": "kernel times identical"}, {"class": "launch", "factor": 1.3}])";
  EXPECT_EQ(score(native, "framework_launch_overhead"), 0) << "native launches are slower";
}

TEST(TaughtT2, LessCacheIsNoProfilersCallback) {
  const auto cache = [](const std::string& slower) {
    return R"("metrics": [{"class": ")" + slower +
           R"(", "factor": 1.6, "scope": {"phase": "already_running"}}],
        "settings": {"trt.setPersistentCacheLimit": 33554432}, "probes": [{"name": "repeat_in_fresh_process", "outcome": "recovers"}])";
  };
  EXPECT_EQ(best(cache("l2")), "l2_persisting_left");
  EXPECT_LT(score(cache("l2"), "cupti_left_attached"), .5);
  EXPECT_EQ(best(cache("launch")), "cupti_left_attached");
}

// -- software

TEST(TaughtT2, FfmpegWithoutItsCudaPart) {
  const auto unknown = [](const std::string& what) { return R"("errors": [{"text": ")" + what + R"("}])"; };
  EXPECT_EQ(best(unknown("Unknown encoder 'hevc_nvenc'")), "built_without_cuda");
  EXPECT_EQ(best(unknown("No such filter: 'scale_cuda'")), "built_without_cuda");
  EXPECT_EQ(best(unknown("Unknown encoder 'libx265'")), "");
}

TEST(TaughtT2, APlainBuildIgnoresLayersForTheGpu) {
  const auto built = [](const std::string& how) {
    return R"("metrics": [{"class": "application", "note": "slow; )" + how +
           R"("}], "probes": [{"name": "change_setting", "outcome": "no_change", "detail": "-ngl=99"},
        {"name": "other_library", "outcome": "recovers", "detail": "official release"}])";
  };
  EXPECT_EQ(best(built("cmake -B build, cmake --build build")), "built_without_cuda");
  EXPECT_EQ(score(built("cmake -B build -DGGML_CUDA=ON"), "built_without_cuda"), 0);
  EXPECT_EQ(score(built("downloaded"), "built_without_cuda"), 0);
}

TEST(TaughtT2, AGraphInManyPartsComputesOnTheProcessor) {
  const auto splits = [](const std::string& count, const std::string& layers) {
    return R"("metrics": [{"class": "application", "factor": 12}], "telemetry": {"utilization_percent": 8}, "log": ["graph splits = )" +
           count + R"(", "offloaded )" + layers + R"( layers to GPU"])";
  };
  EXPECT_EQ(best(splits("66", "33/33")), "cpu_fallback_per_op");
  EXPECT_EQ(score(splits("2", "33/33"), "cpu_fallback_per_op"), 0);
  EXPECT_EQ(score(splits("66", "12/33"), "cpu_fallback_per_op"), 0) << "layers on the processor need it";
}

TEST(TaughtT2, WithoutSoftPlacementAnOperationHasNoPlace) {
  EXPECT_EQ(best(slow("one step is slow; with soft placement off it refuses to place the op")),
            "cpu_fallback_per_op");
  EXPECT_EQ(score(slow("one step is slow; with soft placement off as well"), "cpu_fallback_per_op"), 0);
}

TEST(TaughtT2, OneLibraryMappedFromTwoFolders) {
  const auto maps = [](const std::string& second) {
    return R"("metrics": [{"class": "gemm16", "factor": 1.2}], "log": ["7f21-7f22 r-xp 0 fd:01 1 /opt/venv/nvidia/cublas/lib/libcublas.so.12", "7f23-7f24 r-xp 0 fd:01 2 )" +
           second + R"("])";
  };
  EXPECT_EQ(best(maps("/usr/local/cuda-12.1/lib64/libcublas.so.12.1")), "duplicate_library_versions");
  EXPECT_EQ(score(maps("/opt/venv/nvidia/cublas/lib/libcublas.so.12"), "duplicate_library_versions"), 0);
}

TEST(TaughtT2, PackagesForTwoVersionsOfCuda) {
  const std::string order = recovers("change_setting", "order of imports");
  EXPECT_EQ(best(failing("pip list: nvidia-cudnn-cu11 8.6, nvidia-cudnn-cu12 8.9", order)),
            "duplicate_library_versions");
  EXPECT_EQ(score(failing("pip list: nvidia-cudnn-cu12 8.9, nvidia-cublas-cu12 12.1", order),
                  "duplicate_library_versions"),
            0);
}

TEST(TaughtT2, ItDiesInCudnnAndAnotherVersionOfItsUserMendsIt) {
  const std::string version = recovers("change_version", "ctranslate2=4.4.0");
  EXPECT_EQ(best(failing("dies with a message about libcudnn_ops", version)), "missing_or_wrong_major_cudnn");
  EXPECT_EQ(score(failing("dies with a message about libfoo", version), "missing_or_wrong_major_cudnn"), 0);
}

// -- links

TEST(TaughtT2, BridgesOfThePciBusAreNoneOfNvlink) {
  const std::string slow_pair = R"("metrics": [{"class": "p2p", "factor": 2}])";
  const std::string setpci =
      slow_pair + recovers("change_setting", "setpci on the bridges, access control capability set to 0");
  EXPECT_EQ(best(setpci), "acs_enabled");
  EXPECT_EQ(score(setpci, "nvlink_partial"), 0);
  const std::string bridge = slow_pair + recovers("change_setting", "bridge reseated");
  EXPECT_EQ(best(bridge), "nvlink_partial");
  EXPECT_EQ(score(bridge, "pcie_link_degraded"), 0);
}

TEST(TaughtT2, APairWithFewerNvlinksThanOnItsPeer) {
  const auto topo = [](const std::string& links) {
    return R"("metrics": [{"class": "p2p", "factor": 1.5}], "log": ["gpu08: GPU1 <-> GPU3 NV4, GPU1 <-> GPU0 NV2", "gpu09: GPU1 <-> GPU3 )" +
           links + R"(, GPU1 <-> GPU0 NV2"])";
  };
  EXPECT_EQ(best(topo("NV2")), "nvlink_partial");
  EXPECT_EQ(score(topo("NV4"), "nvlink_partial"), 0);
}

TEST(TaughtT2, ACardSeatedAnewOrManyReplays) {
  const std::string slow_copy = R"("metrics": [{"class": "h2d", "factor": 2}])";
  EXPECT_EQ(best(slow_copy + recovers("swap_gpu", "card seated directly in the slot")), "pcie_link_degraded");
  EXPECT_NE(best(slow_copy + recovers("swap_gpu", "another card")), "pcie_link_degraded");
  EXPECT_EQ(best(slow_copy + log(R"("Replays Since Reset : 31442")")), "pcie_link_degraded");
  EXPECT_EQ(score(slow_copy + log(R"("Replays Since Reset : 0")"), "pcie_link_degraded"), 0);
}

TEST(TaughtT2, FewerLanesThanTheCardCan) {
  const auto lspci = [](const std::string& head, const std::string& now) {
    return R"("metrics": [{"class": "h2d", "factor": 2}], "log": [")" + head +
           R"(", "LnkCap: Port #0, Speed 16GT/s, Width x16, ASPM L1", "LnkSta: Speed 16GT/s, Width )" + now +
           R"("])";
  };
  EXPECT_EQ(best(lspci("01:00.0 VGA compatible controller: NVIDIA", "x8")), "pcie_link_degraded");
  EXPECT_EQ(score(lspci("01:00.0 VGA compatible controller: NVIDIA", "x16"), "pcie_link_degraded"), 0);
  EXPECT_EQ(score(lspci("02:00.0 Ethernet controller: Intel", "x8"), "pcie_link_degraded"), 0);
}

TEST(TaughtT2, AGpuBelowTheChipsetWithDisks) {
  const auto tree = [](const std::string& bridge) {
    return R"("metrics": [{"class": "h2d", "factor": 3.5}], "log": ["-[00]-+-00.0  Root Complex",
        "      +-01.2-[02-0c]--+-01.0-[04]----00.0  Samsung NVMe SSD",
        "      |               +-05.0-[06]----00.0  NVIDIA Corporation GA102", "02:00.0 PCI bridge: )" +
           bridge + R"("])";
  };
  EXPECT_EQ(best(tree("AMD Matisse Switch Upstream")), "pcie_chipset_attached");
  EXPECT_EQ(score(tree("PLX PEX 8796"), "pcie_chipset_attached"), 0);
}

TEST(TaughtT2, CopiesThatFallWhileDisksAreBusy) {
  const auto note = [](const std::string& text) {
    return R"("metrics": [{"class": "h2d", "factor": 3.9, "note": ")" + text + R"("}])";
  };
  EXPECT_EQ(best(note("falls to 2.8 GB/s while the RAID scrubs")), "pcie_chipset_attached");
  EXPECT_EQ(score(note("falls to 2.8 GB/s in the afternoon"), "pcie_chipset_attached"), 0);
}

TEST(TaughtT2, ProcessorsForATaskAreAMaskAndNoQuota) {
  const std::string more =
      slow("the workers share one core", recovers("change_setting", "--cpus-per-task=8"));
  EXPECT_EQ(best(more), "cpu_affinity_wrong");
  EXPECT_EQ(score(more, "cgroup_cpu_limit"), 0);
  EXPECT_EQ(best(slow("slow", recovers("change_setting", "docker --cpus=8"))), "cgroup_cpu_limit");
}

TEST(TaughtT2, ABuildOptionForCuda) {
  EXPECT_EQ(best(slow("slow", recovers("change_setting", "CMAKE_ARGS=-DGGML_CUDA=on"))),
            "built_without_cuda");
  EXPECT_EQ(
      score(slow("slow", recovers("change_setting", "CMAKE_ARGS=-DGGML_NATIVE=on")), "built_without_cuda"),
      0);
}

TEST(TaughtT2, OneOperationOfAProgramHundredsOfTimesSlower) {
  const auto beside = [](const std::string& other) {
    return R"("metrics": [{"class": "application", "factor": 700, "scope": {"op": "sort", "dtype": "bf16"}},
        {"class": "framework_op", "factor": )" +
           other + R"(, "scope": {"dtype": "fp32"}}])";
  };
  EXPECT_EQ(best(beside("1.0")), "cpu_fallback_per_op");
  EXPECT_LT(score(beside("1.0"), "cpu_fallback_per_op"), .7);
  EXPECT_EQ(score(beside("700"), "cpu_fallback_per_op"), 0) << "all of it is slow";
}

TEST(TaughtT2, SmallWorkOfAFrameworkBesideNativeLaunchesAsBefore) {
  const auto with = [](const std::string& large) {
    return R"("metrics": [{"class": "framework_op", "factor": 1.7, "scope": {"size": "small", "framework": "jax"}},
        {"class": "framework_op", "factor": )" +
           large +
           R"(, "scope": {"size": "large", "framework": "jax"}}, {"class": "launch", "factor": 1.0}])";
  };
  EXPECT_EQ(best(with("1.0")), "framework_launch_overhead");
  EXPECT_LT(score(with("1.7"), "framework_launch_overhead"), score(with("1.0"), "framework_launch_overhead"));
}

TEST(TaughtT2, AnotherDeviceTakesTheLanes) {
  const std::string copy = R"("metrics": [{"class": "h2d", "factor": 4}])";
  EXPECT_EQ(best(copy + recovers("change_setting", "M.2 SSD moved to another socket")), "pcie_link_degraded");
  EXPECT_EQ(score(slow("reads its data slowly", recovers("change_setting", "M.2 SSD instead of a disk")),
                  "pcie_link_degraded"),
            0);
}

TEST(TaughtT2, AJobOfTheHostIsStopped) {
  EXPECT_EQ(best(slow("the GPU waits", recovers("change_setting", "BOINC suspended"))), "cpu_contention");
  EXPECT_EQ(score(slow("the GPU waits", recovers("change_setting", "compiler=nvcc")), "cpu_contention"), 0);
}

TEST(TaughtT2, AToolkitThatWasNotFoundIsNoMissingDriver) {
  EXPECT_EQ(
      best(slow("slow", log(R"("-- Could NOT find CUDAToolkit (missing: CUDAToolkit_INCLUDE_DIRS) here")"))),
      "built_without_cuda");
  EXPECT_EQ(
      score(slow("slow", log(R"("Could not find cuda drivers on your machine, GPU will not be used.")")),
            "built_without_cuda"),
      0);
}

}  // namespace taught_t2
}  // namespace
}  // namespace gpugauge::diagnose
