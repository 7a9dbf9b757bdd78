// What three more sets of reports showed of drivers, platforms and versions. Made-up reports, and beside each one that
// means another thing.
#include <gtest/gtest.h>

#include "unit/diagnose/taught.hpp"

namespace gpugauge::diagnose {
namespace {
namespace taught_platform {

using made_up::best;
using made_up::score;

TEST(TaughtPlatform, ALaterVersionClearsNothing) {
  const auto tried = [](const std::string& version) {
    return R"("about": {"compared_with": "earlier"}, "changed": {"application": ["solver 2.03.05", "solver 2.03.13"]},
        "metrics": [{"class": "application", "factor": 1.7}], "probes": [{"name": "change_version",
        "outcome": "no_change", "detail": "application=)" +
           version + R"("}])";
  };
  EXPECT_EQ(best(tried("solver 2.04.00 (2017-08-16)")), "app_kernel_regression");
  EXPECT_EQ(best(tried("the newest one")), "app_kernel_regression");
  EXPECT_EQ(best(tried("solver 2.03.05")), "false_attribution");
}

TEST(TaughtPlatform, TwoProgramsAreNoTwoVersions) {
  const auto compared = [](const std::string& before, const std::string& after) {
    return R"("about": {"compared_with": "other_configuration"}, "changed": {"application": [")" + before +
           R"(", ")" + after + R"("]}, "metrics": [{"class": "application", "factor": 7.5}])";
  };
  EXPECT_EQ(score(compared("detector-one", "other_demos"), "app_kernel_regression"), 0);
  EXPECT_GT(score(compared("detector-one 1.2", "detector-one 1.3"), "app_kernel_regression"), 0);
  EXPECT_GT(score(compared("1.2", "1.3"), "app_kernel_regression"), 0);
}

TEST(TaughtPlatform, ABuildBeforeTheGpuCompilesAtItsStart) {
  const auto started = [](const std::string& gpu, const std::string& phase) {
    return R"("about": {"gpu": ")" + gpu +
           R"("}, "inventory": {"framework.name": "tensorflow", "framework.cuda": "10.1"},
        "metrics": [{"class": "application", "note": "very slow", "scope": {"phase": ")" +
           phase + R"("}}])";
  };
  EXPECT_EQ(best(started("GeForce RTX 3090", "startup")), "ptx_jit_startup");
  EXPECT_EQ(score(started("Quadro RTX 4000", "startup"), "ptx_jit_startup"), 0) << "CUDA 10.1 knows Turing";
  EXPECT_NE(best(started("GeForce RTX 3090", "warm")), "ptx_jit_startup");
}

TEST(TaughtPlatform, UnderWslNoModuleIsMissing) {
  const auto on = [](const std::string& system) {
    return R"("inventory": {"host.os": ")" + system +
           R"("}, "metrics": [{"class": "application", "fails": true}],
        "errors": [{"api": "nvml", "text": "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."}])";
  };
  EXPECT_EQ(score(on("wsl2"), "kernel_module_missing"), 0);
  EXPECT_EQ(best(on("linux")), "kernel_module_missing");
}

TEST(TaughtPlatform, PinnedMemoryIsLimitedUnderWsl) {
  const auto refused = [](const std::string& system, const std::string& what) {
    return R"("inventory": {"host.os": ")" + system + R"("}, "metrics": [{"class": "alloc", "fails": true,
        "scope": {"op": ")" +
           what + R"("}}], "errors": [{"api": "cuda", "text": "out of memory"}])";
  };
  EXPECT_EQ(best(refused("wsl2", "pinned host memory")), "wsl_limits");
  EXPECT_EQ(score(refused("wsl2", "device memory"), "wsl_limits"), 0);
  EXPECT_EQ(score(refused("linux", "pinned host memory"), "wsl_limits"), 0);
}

TEST(TaughtPlatform, AnOldGenerationAndTheOpenModule) {
  const auto with = [](const std::string& gpu, const std::string& module) {
    return R"("about": {"gpu": ")" + gpu +
           R"("}, "inventory": {"driver.version": "570.124.06", "driver.open_module": )" + module +
           R"(}, "metrics": [{"class": "init", "fails": true}])";
  };
  EXPECT_EQ(best(with("Tesla V100-SXM2-32GB", "true")), "gpu_generation_not_driven");
  EXPECT_EQ(score(with("Tesla V100-SXM2-32GB", "false"), "gpu_generation_not_driven"), 0);
  EXPECT_EQ(score(with("H100 80GB HBM3", "true"), "gpu_generation_not_driven"), 0);
}

TEST(TaughtPlatform, AfterAResumeTheModuleOfManagedMemoryIsSuspected) {
  const std::string woken =
      R"("metrics": [{"class": "init", "fails": true, "note": "Unable to init GPU after sleep and resume",
      "scope": {"phase": "after_idle"}}], "errors": [{"api": "cuda", "text": "unknown error"}])";
  EXPECT_EQ(best(woken), "uvm_module_bad");
  EXPECT_EQ(score(woken, "idle_clock_ramp"), 0) << "what fails is not slow";
}

TEST(TaughtPlatform, AModuleThatIsNotLoadedHidesNoDevice) {
  const auto tried = [](const std::string& loaded) {
    return R"("metrics": [{"class": "application", "fails": true}], "inventory": {"host.container": "enroot",
        "uvm.loaded": )" +
           loaded + R"(}, "probes": [{"name": "change_setting", "outcome": "recovers", "detail":
        "docker run --runtime=nvidia, once"}])";
  };
  EXPECT_EQ(best(tried("false")), "uvm_module_bad");
  EXPECT_EQ(best(tried("true")), "no_visible_device");
}

TEST(TaughtPlatform, NouveauAsAFallbackIsNotTheCause) {
  const auto boot = [](const std::string& secure, const std::string& line) {
    return R"("metrics": [{"class": "init", "fails": true}], "inventory": {"host.secure_boot": )" + secure +
           R"(, "driver.holder": "nouveau"}, "log": [")" + line + R"("])";
  };
  EXPECT_EQ(best(boot("true", "nvidia kernel module missing falling back to nouveau")),
            "secure_boot_rejects_module");
  EXPECT_EQ(best(boot("false", "nouveau 0000:01:00.0: NVIDIA GP107")), "nouveau_loaded");
}

TEST(TaughtPlatform, FilesOfTheDriverAreNoDriver) {
  const std::string files =
      R"("about": {"compared_with": "earlier"}, "changed": {"driver.device_files": ["udev", "nvidia-modprobe"]},
      "metrics": [{"class": "application", "fails": true}], "settings": {"NVreg_DeviceFileMode": "0660"},
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "regular user added to group=video"}])";
  EXPECT_EQ(best(files), "device_access_denied");
  EXPECT_EQ(score(files, "driver_regression"), 0);
}

TEST(TaughtPlatform, ACompatLibraryBeforeTheDriversOwnIsTheMismatch) {
  const auto found = [](const std::string& paths) {
    return R"("metrics": [{"class": "init", "fails": true}], "inventory": {"driver.libcuda_path": )" + paths +
           R"(}, "errors": [{"api": "cuda", "code": 803, "text": "cudaErrorSystemDriverMismatch"}])";
  };
  EXPECT_EQ(best(found(R"(["/usr/local/cuda-13.0/compat/libcuda.so.1", "/usr/lib/libcuda.so.1"])")),
            "forward_compat_on_geforce");
  EXPECT_EQ(best(found(R"(["/usr/lib/libcuda.so.1"])")), "umd_kmd_mismatch");
}

/// Lines that machines in order print, and words of another meaning.
TEST(TaughtPlatform, WhatHealthyMachinesPrintIsNoCause) {
  const auto healthy = [](const std::string& line) {
    return R"("about": {"compared_with": "earlier"}, "metrics": [{"class": "gemm16", "factor": 1.0}, {"class": "hbm",
        "factor": 1.0}], "log": [")" +
           line + R"("])";
  };
  EXPECT_EQ(best(healthy("pci 0000:3a:00.0: BAR 7 [io size 0x1000]: can't assign; no space")), "");
  EXPECT_EQ(best(healthy("Could NOT find CUDAToolkit (missing: CUDA_CUDART)")), "");
  const auto slow = [](const std::string& line) {
    return R"("about": {"compared_with": "earlier"}, "metrics": [{"class": "application", "factor": 1.3}], "log": [")" +
           line + R"("])";
  };
  for (const char* line :
       {"system_info: AVX = 1 | BLAS = 0 | CUDA : ARCHS = 890 | USE_GRAPHS = 1", "CC mode is off on all GPUs",
        "nvidia-gridd: License acquired successfully. (Info: dls.local)",
        " properties.allow_compat_mode : true", "Memory Current Temp                   : 92 C",
        R"(Device 0: Tesla T4, 40 multiprocessors", "the paper's numbers are from an A100)"})
    EXPECT_LT(score(slow(line), best(slow(line))), .7) << line;
  EXPECT_EQ(best(slow("system_info: AVX = 1 | BLAS = 0 | SSE3 = 1")), "built_without_cuda");
  const auto products = [](const std::string& line) {
    return R"("metrics": [{"class": "gemm32", "factor": 3.0}], "log": [")" + line + R"("])";
  };
  EXPECT_LT(score(products("NVIDIA_TF32_OVERRIDE=0 is not set"), "tf32_env_override"), .7);
  EXPECT_GE(score(products("export NVIDIA_TF32_OVERRIDE=0"), "tf32_env_override"), .7);
}

TEST(TaughtPlatform, AHotplugControllerIsNoChipset) {
  const auto logged = [](const std::string& line) {
    return R"("metrics": [{"class": "h2d", "factor": 2.5}], "log": [")" + line + R"("])";
  };
  EXPECT_EQ(best(logged("the GPU is in the slot behind the PCH")), "pcie_chipset_attached");
  EXPECT_NE(best(logged("_OSC: OS now controls [PCIeHotplug SHPCHotplug PME AER LTR DPC]")),
            "pcie_chipset_attached");
}

TEST(TaughtPlatform, WhatAHealthyNvidiaSmiPrintsIsNoHarm) {
  EXPECT_EQ(best(R"("log": ["        Retired Pages", "            Single Bit ECC : N/A",
      "            SW Thermal Slowdown : 0 us", "|                  |               Disabled |"])"),
            "");
}

}  // namespace taught_platform
}  // namespace
}  // namespace gpugauge::diagnose
