// What typical reports of a third set of causes showed: starts that fail, heat and power in words, switches in vain.
// Made-up reports, and beside each one that means another thing.
#include <gtest/gtest.h>

#include "unit/diagnose/taught.hpp"

namespace gpugauge::diagnose {
namespace {
namespace taught_typical {

using made_up::best;
using made_up::score;

std::string note(const std::string& text, const std::string& more = "") {
  return R"("metrics": [{"class": "application", "note": ")" + text + "\"" + more + "}]";
}

std::string mended(const std::string& detail, const std::string& probe = "change_setting") {
  return R"(, "probes": [{"name": ")" + probe + R"(", "outcome": "recovers", "detail": ")" + detail +
         R"("}])";
}

TEST(TaughtTypical, ARefusedNodeIsToldByItsGroup) {
  const std::string refused = note("nvidia-smi fails: Insufficient Permissions, with sudo it works");
  EXPECT_EQ(best(refused + mended("groups=video,render")), "device_access_denied");
  EXPECT_EQ(score(note("slow") + mended("groups=32"), "device_access_denied"), 0);
}

TEST(TaughtTypical, TheStubIsOnThePathOfTheLoader) {
  const std::string started =
      note("LD_LIBRARY_PATH has /opt/cuda/lib64/stubs and each program fails with CUDA error 34");
  EXPECT_EQ(best(started + mended("LD_LIBRARY_PATH", "unset_environment")), "driver_library_stub");
  EXPECT_EQ(score(note("it fails") + mended("LD_LIBRARY_PATH", "unset_environment"), "driver_library_stub"),
            0);
}

TEST(TaughtTypical, ABuildForALaterCudaThanTheDriverRuns) {
  const auto installed = [](const std::string& head) {
    return note("torch 2.5 cu124, is_available() is False, nvidia-smi says CUDA Version: " + head) +
           mended("torch=1.12.1+cu113", "change_version");
  };
  EXPECT_EQ(best(installed("11.4")), "driver_too_old");
  EXPECT_EQ(score(installed("12.2"), "driver_too_old"), 0);
}

TEST(TaughtTypical, MpsIsSoughtInAFolderLeftBehind) {
  EXPECT_EQ(best(note("no cuda program starts, error 805") + mended("rm -r /tmp/nvidia-mps")),
            "mps_connection_failed");
  EXPECT_EQ(
      score(note("no cuda program starts, error 999") + mended("rm -r /tmp/cache"), "mps_connection_failed"),
      0);
}

TEST(TaughtTypical, MpsSharesTheOneContextOfAnExclusiveGpu) {
  const std::string busy =
      R"(, "errors": [{"api": "cuda", "code": 46, "text": "CUDA-capable device(s) is/are busy or unavailable"}])";
  EXPECT_EQ(best(note("half of the ranks stop") + busy + mended("nvidia-cuda-mps-control -d")),
            "compute_mode_restricts");
  EXPECT_LT(score(note("half of the ranks stop") + busy, "compute_mode_restricts"), .5);
}

TEST(TaughtTypical, ALibcudaIsMissingWhereNvmlAnswers) {
  const auto shown = [](const std::string& cuda) {
    return R"("inventory": {"host.container": "docker"}, "log": ["| NVIDIA-SMI 535.161.07  CUDA Version: )" +
           cuda +
           R"( |"], "errors": [{"api": "loader", "text": "libcuda.so.1: cannot open shared object file"}])";
  };
  EXPECT_EQ(best(shown("N/A")), "image_without_compute");
  EXPECT_LT(score(shown("12.2"), "image_without_compute"), .5);
}

TEST(TaughtTypical, BuildersOfExtensionsNameBothVersions) {
  EXPECT_EQ(
      best(
          R"("errors": [{"api": "framework", "text": "Installed CUDA version 11.5 does not match the version torch was compiled with 12.1"}])"),
      "extension_build_mismatch");
  EXPECT_EQ(best(note("pip install x --no-build-isolation stops") + mended("nvcc=12.4", "change_version")),
            "extension_build_mismatch");
  EXPECT_NE(best(note("it is slow") + mended("nvcc=12.4", "change_version")), "extension_build_mismatch");
}

TEST(TaughtTypical, TheLastBranchForAGenerationWorks) {
  const auto card = [](const std::string& gpu) {
    return R"("about": {"gpu": ")" + gpu + R"("}, )" + note("nvidia-smi: No devices were found") +
           mended("driver=470.256.02", "change_version");
  };
  EXPECT_EQ(best(card("Tesla K80")), "gpu_generation_not_driven");
  EXPECT_EQ(score(card("RTX 3090"), "gpu_generation_not_driven"), 0);
}

TEST(TaughtTypical, AllOnesAreReadOfADeviceThatIsGone) {
  const std::string gone =
      R"x(, "log": ["01:00.0 VGA compatible controller: NVIDIA Corporation AD104 (rev ff)"])x";
  EXPECT_EQ(best(note("every program hangs") + gone), "gpu_lost");
  EXPECT_EQ(score(note("every program is slow") + gone, "gpu_lost"), 0);
}

TEST(TaughtTypical, TheProprietaryModuleNamesItself) {
  const auto loaded = [](const std::string& name) {
    return R"("about": {"gpu": "GH200 480GB"}, "log": ["NVRM: loading NVIDIA UNIX )" + name +
           R"x(  560.35.03", "NVRM: GPU 0009:01:00.0: RmInitAdapter failed! (0x22:0x56:884)"])x";
  };
  EXPECT_EQ(best(loaded("aarch64 Kernel Module")), "open_module_required");
  EXPECT_EQ(score(loaded("Open Kernel Module for aarch64"), "open_module_required"), 0);
}

TEST(TaughtTypical, ARegionWithoutAnAddress) {
  const auto region = [](const std::string& at) {
    return R"("settings": {"lspci.region1": "Memory at )" + at +
           R"x( (64-bit, prefetchable)"}, "errors": [{"api": "nvml", "text": "No devices were found"}])x";
  };
  EXPECT_EQ(best(region("<unassigned>")), "pci_region_not_assigned");
  EXPECT_EQ(score(region("38000000000"), "pci_region_not_assigned"), 0);
}

TEST(TaughtTypical, LimitsOfWslByItsKernelsName) {
  const auto shared = [](const std::string& kernel) {
    return R"("inventory": {"kernel.version": ")" + kernel +
           R"("}, "errors": [{"api": "cuda", "code": 801, "text": "operation not supported in _share_cuda_"}])";
  };
  EXPECT_EQ(best(shared("5.15.153.1-microsoft-standard-WSL2")), "wsl_limits");
  EXPECT_EQ(score(shared("5.15.0-105-generic"), "wsl_limits"), 0);
}

TEST(TaughtTypical, ASupplyThatFailedBrakesAColdGpu) {
  const auto logged = [](const std::string& line, int degrees) {
    return R"("metrics": [{"class": "application", "factor": 3.5}], "telemetry": {"throttle_reasons": ["hw_slowdown"],
        "temperature_c": )" +
           std::to_string(degrees) + R"(}, "log": [")" + line + R"("])";
  };
  EXPECT_EQ(best(logged("PSU0003: The power input for power supply 2 is lost.", 42)), "hw_power_brake");
  EXPECT_NE(best(logged("Power supply redundancy is full", 91)), "hw_power_brake");
}

TEST(TaughtTypical, HeatInWords) {
  const auto degrees = [](const std::string& text) {
    return note(text + ", the clock falls. With a desk fan in front it does not", R"(, "factor": 1.4)") +
           R"(, "probes": [{"name": "repeat_later", "outcome": "recovers", "detail": "pause=10 min"}])";
  };
  EXPECT_EQ(best(degrees("after two minutes it is at 87 C")), "thermal_throttle");
  EXPECT_EQ(score(degrees("after two minutes it is at 62 C"), "thermal_throttle"), 0);
  EXPECT_EQ(score(degrees("the CPU is at 87 C"), "thermal_throttle"), 0);
}

TEST(TaughtTypical, AHotMemoryInWords) {
  const auto junction = [](const std::string& degrees) {
    return R"("metrics": [{"class": "hbm", "factor": 1.3, "note": "Memory Junction )" + degrees +
           R"( C"}], "telemetry": {"temperature_c": 60})";
  };
  EXPECT_EQ(best(junction("108")), "hbm_thermal");
  EXPECT_EQ(score(junction("76"), "hbm_thermal"), 0);
}

TEST(TaughtTypical, ALimitThatIsPrintedBelowTheDefault) {
  const auto printed = [](const std::string& now) {
    return R"("metrics": [{"class": "gemm16", "factor": 1.3}], "log": ["SW Power Cap : Active",
        "Current Power Limit : )" +
           now + R"( W", "Default Power Limit : 700.00 W", "Max Power Limit : 700.00 W"])";
  };
  EXPECT_EQ(best(printed("500.00")), "sw_power_cap");
  EXPECT_EQ(score(printed("700.00"), "sw_power_cap"), 0);
}

TEST(TaughtTypical, AClientThatStaysKeepsTheGpuSetUp) {
  const auto start = [](const std::string& text) {
    return R"("metrics": [{"class": "init", "value": 25, "unit": "s", "note": ")" + text + R"("}])";
  };
  EXPECT_EQ(best(start("quick while a sleep holds an open context")), "persistence_mode_off");
  EXPECT_EQ(score(start("it is always so"), "persistence_mode_off"), 0);
}

TEST(TaughtTypical, ALateStartIsNoRampOfTheClock) {
  const std::string late =
      R"("metrics": [{"class": "application", "value": 25, "unit": "s", "scope": {"phase": "startup"}}, {"class":
      "application", "factor": 1.0, "scope": {"phase": "warm"}}], "probes": [{"name": "repeat_after_idle", "outcome":
      "slow"}])";
  EXPECT_EQ(score(late, "idle_clock_ramp"), 0);
}

TEST(TaughtTypical, TheFirmwareIsOnOneSideOnly) {
  const auto side = [](const std::string& other) {
    return R"("metrics": [{"class": "application", "factor": 8, "scope": {"op": "ibv_reg_mr"}}, {"class": "p2p",
        "factor": 1.0}], "settings": {"GSP Firmware Version": "525.105.17", "GSP Firmware Version elsewhere": ")" +
           other + R"("})";
  };
  EXPECT_EQ(best(side("N/A")), "gsp_firmware");
  EXPECT_EQ(score(side("525.105.17"), "gsp_firmware"), 0);
}

TEST(TaughtTypical, TheDriverAnswersThatItLoadsEagerly) {
  const auto mode = [](const std::string& answer) {
    return R"("metrics": [{"class": "init", "factor": 3.5}], "settings": {"cuModuleGetLoadingMode": ")" +
           answer + R"("})";
  };
  EXPECT_EQ(best(mode("CU_MODULE_EAGER_LOADING")), "eager_module_loading");
  EXPECT_EQ(score(mode("CU_MODULE_LAZY_LOADING"), "eager_module_loading"), 0);
}

TEST(TaughtTypical, SomethingElseIsUsedThanWasAskedFor) {
  const auto used = [](const std::string& backend) {
    return R"("metrics": [{"class": "attention", "factor": 2.5}], "settings": {"attention.requested": "FLASH_ATTN",
        "attention.used": ")" +
           backend + R"("})";
  };
  EXPECT_EQ(best(used("XFORMERS")), "feature_unsupported_silent_fallback");
  EXPECT_EQ(score(used("flash_attn"), "feature_unsupported_silent_fallback"), 0);
}

TEST(TaughtTypical, AnEnvironmentThatOverridesTheSwitch) {
  const auto cleared = [](const std::string& type) {
    return R"("metrics": [{"class": "application", "factor": 2.4, "scope": {"dtype": ")" + type +
           R"("}}], "probes": [{"name": "change_setting", "outcome": "no_change", "detail": "torch.allow_tf32=True"},
        {"name": "unset_environment", "outcome": "recovers", "detail": "all with env -i"}])";
  };
  EXPECT_EQ(best(cleared("fp32")), "tf32_env_override");
  EXPECT_EQ(score(cleared("bf16"), "tf32_env_override"), 0);
  const auto exported = [](const std::string& value) {
    return R"("metrics": [{"class": "application", "factor": 4, "scope": {"dtype": "fp32"}}], "log": ["declare -x NVIDIA_TF32_OVERRIDE=\")" +
           value + R"(\""])";
  };
  EXPECT_EQ(best(exported("0")), "tf32_env_override");
  EXPECT_EQ(score(exported("1"), "tf32_env_override"), 0);
}

TEST(TaughtTypical, ExactProductsInFp32AreNoRegressionOfTheOperation) {
  const std::string exact =
      R"("about": {"compared_with": "other_configuration"}, "changed": {"framework.origin": ["image", "wheel"]},
      "metrics": [{"class": "framework_op", "factor": 8, "scope": {"op": "linear", "dtype": "fp32", "framework": "torch"}}],
      "kernels": ["sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_ffma_kernel"],
      "numerics": [{"op": "linear", "dtype": "fp32", "relative_error": 1.6e-7}])";
  EXPECT_EQ(best(exact), "tf32_disabled_by_framework_default");
  EXPECT_LT(score(exact, "framework_op_regression"), .6);
}

TEST(TaughtTypical, OtherInstructionsAreOtherWork) {
  const auto changed = [](const std::string& sass) {
    return R"("about": {"compared_with": "earlier"}, "changed": {"harness": ["a1", "a2"]}, "metrics": [{"class":
        "gemm32", "factor": 2.0, "scope": {"library": "gpugauge"}}, {"class": "gemm32", "factor": 1.0, "scope":
        {"library": "cublas"}}])" +
           sass;
  };
  EXPECT_EQ(best(changed(R"(, "sass": [{"instruction": "FFMA", "change": "absent"}])")), "codegen_flag_lost");
  EXPECT_EQ(best(changed("")), "measurement_method");
}

TEST(TaughtTypical, ACompilerOfBeforeTheGpuIsToldByTheBuild) {
  const auto built = [](const std::string& device) {
    return R"("metrics": [{"class": "application", "factor": 1.3}], "log": ["-- The CUDA compiler identification is NVIDIA 11.5.119",
        "Device 0: NVIDIA GPU, compute capability )" +
           device + R"(, VMM: yes"])";
  };
  EXPECT_EQ(best(built("8.9")), "old_toolkit_codegen");
  EXPECT_EQ(score(built("8.6"), "old_toolkit_codegen"), 0);
}

TEST(TaughtTypical, SizesThatAreMultiplesAreNotMisaligned) {
  EXPECT_EQ(score(note("slow, everything multiple of 8", R"(, "factor": 3)"), "tc_misaligned_dims"), 0);
  EXPECT_GT(score(note("fast only with a multiple of 8", R"(, "factor": 3)"), "tc_misaligned_dims"), .4);
}

TEST(TaughtTypical, TheProgramTellsThatTensorCoresAreLacking) {
  EXPECT_EQ(best(R"("metrics": [{"class": "application", "factor": 3}], "log":
      ["The following devices will have suboptimal performance due to a lack of tensor cores:"])"),
            "gpu_without_tensor_cores_same_cc");
  EXPECT_EQ(
      best(R"("metrics": [{"class": "application", "factor": 3}], "log": ["The devices have tensor cores"])"),
      "");
}

TEST(TaughtTypical, OneSizeOfSeveralIsSlow) {
  const auto rates = [](const std::string& middle) {
    return R"("log": ["n=3840 gemm_kernel 612 TFLOPS", "n=4096 gemm_kernel )" + middle +
           R"( TFLOPS", "n=4352 gemm_kernel 619 TFLOPS"])";
  };
  EXPECT_EQ(best(rates("301")), "kernel_specific");
  EXPECT_EQ(best(rates("615")), "");
}

TEST(TaughtTypical, SomeOperationsOfAProfileTakeLonger) {
  const auto profile = [](const std::string& other) {
    return R"("changed": {"framework": ["2.1.2", "2.2.0"]}, "log": ["2.1.2 aten::sort Self CUDA 12.4ms",
        "2.2.0 aten::sort Self CUDA 61.9ms", "2.1.2 aten::mm Self CUDA 88.1ms", "2.2.0 aten::mm Self CUDA )" +
           other + R"(ms"])";
  };
  EXPECT_EQ(best(profile("88.3")), "framework_op_regression");
  EXPECT_EQ(best(profile("440.0")), "");
}

}  // namespace taught_typical
}  // namespace
}  // namespace gpugauge::diagnose
