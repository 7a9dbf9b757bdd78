// More of what whole logs say, and what they only mention: made-up lines in the forms of the tools.
#include <gmock/gmock.h>

#include "diagnose/signature.hpp"
#include "logs.hpp"

namespace gpugauge::diagnose {
namespace {

TEST(LogsAgain, AnotherDriverThatIsOnlyNamed) {
  for (const char* const line :
       {"ERROR: Unable to load the kernel module 'nvidia.ko'. If another driver, such as nouveau, is present",
        "or if a driver such as rivafb, nvidiafb, or nouveau is present and prevents the module",
        "/lib/modules/6.1.0-21-amd64/kernel/drivers/video/fbdev/nvidia/nvidiafb.ko",
        "/lib/modules/6.1.0-21-amd64/kernel/drivers/gpu/drm/nouveau/nouveau.ko",
        "\tKernel modules: nvidiafb, nouveau"})
    EXPECT_LT(score_of(of_log({line}), "nouveau_loaded"), named) << line;
  EXPECT_EQ(
      best_of({"NVRM: This can occur when a driver such as:", "NVRM: nouveau, rivafb, nvidiafb or rivatv",
               "NVRM: was loaded and obtained ownership of the NVIDIA device(s)."}),
      "nouveau_loaded");
  EXPECT_EQ(best_of({"\tKernel driver in use: nouveau", "\tKernel modules: nvidiafb, nouveau"}),
            "nouveau_loaded");
}

TEST(LogsAgain, AModuleThatNoTrustedKeySigned) {
  EXPECT_EQ(
      best_of(
          {"ERROR: The kernel module failed to load, because it was not signed by a key that is trusted by the "
           "kernel.",
           "ERROR: Unable to load the kernel module 'nvidia.ko'. This happens if another driver, such as "
           "nouveau, is present"}),
      "secure_boot_rejects_module");
}

TEST(LogsAgain, AModuleOfAnotherKernel) {
  const LogLines none{"modprobe: FATAL: Module nvidia not found.",
                      "Linux gpu4 6.8.0-45-generic #45-Ubuntu SMP PREEMPT_DYNAMIC x86_64 GNU/Linux"};
  const std::string older = "/lib/modules/6.8.0-40-generic/updates/dkms/nvidia.ko";
  const std::string own = "/lib/modules/6.8.0-45-generic/updates/dkms/nvidia.ko";
  EXPECT_EQ(best_of(none), "kernel_module_missing");
  EXPECT_GT(score_of(of_log(with(none, older)), "kernel_module_missing"),
            score_of(of_log(none), "kernel_module_missing"));
  EXPECT_EQ(score_of(of_log(with(with(none, older), own)), "kernel_module_missing"),
            score_of(of_log(none), "kernel_module_missing"))
      << "there is one for the kernel that runs, too";
  EXPECT_LT(score_of(of_log(with(none, "modprobe: FATAL: Module nvidia-uvm not found.")), "uvm_module_bad"),
            named)
      << "the driver's own module is missing";
}

TEST(LogsAgain, ProfilersThatAreRefused) {
  for (
      const char* const line :
      {"==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the "
       "target device 0.",
       "cupti_tracer.cc:77: error: function cuptiActivityEnable(kind) failed with error "
       "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES.",
       "Error: function cuptiProfilerBeginSession(&params) failed with error 35.",
       "==91== Warning: The user does not have permission to profile on the target device."}) {
    EXPECT_EQ(best_of({line}), "profiling_restricted") << line;
    EXPECT_LT(score_of(of_log({line}), "driver_too_old"), named) << line;
    EXPECT_LT(score_of(of_log({line}), "cupti_left_attached"), named) << line;
  }
  EXPECT_EQ(best_of({"Error: function cuptiProfilerBeginSession(&params) failed with error 15."})
                .find("driver_too_old"),
            std::string::npos);
  EXPECT_EQ(best_of({"CUDA error 35 in cudaSetDevice"}), "driver_too_old") << "that number is CUDA's";
  EXPECT_EQ(best_of({"==PROF== Profiling \"scale\" - 0: 0%....50%....100% - 19 passes",
                     "==PROF== Report: a.ncu-rep"}),
            "");
}

TEST(LogsAgain, SlurmThatCountsOtherGpus) {
  for (
      const char* const line :
      {"slurmctld: error: Setting node g1 state to INVAL with reason:gres/gpu count reported lower than configured (6 < 8)",
       "   Reason=gres/gpu count too low (0 < 8) [slurm@2026-03-02T08:00:00]",
       "slurmd: fatal: can't stat gres.conf file /dev/nvidia0: No such file or directory",
       "slurmd[47]: fatal: gres.conf duplicate records for gpu"}) {
    EXPECT_EQ(best_of({line}), "slurm_gpus_unlike_node") << line;
    for (const char* const other :
         {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
          "modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.8.0-45-generic"})
      EXPECT_EQ(best_of({line, other}), "kernel_module_missing") << "Slurm counts what the driver gives";
  }
  EXPECT_EQ(best_of({"   CfgTRES=cpu=16,mem=64G,billing=16,gres/gpu=2", "   State=IDLE"}), "");
  EXPECT_EQ(best_of({"fatal: can't stat gres.conf file /dev/ib0: No such file or directory"}), "")
      << "no GPU";
}

TEST(LogsAgain, BothPackagesOfOnnxRuntime) {
  const LogLines processor{">>> onnxruntime.get_available_providers()",
                           "['AzureExecutionProvider', 'CPUExecutionProvider']"};
  EXPECT_EQ(best_of(with(with(processor, " + onnxruntime==1.22.0"), " + onnxruntime-gpu==1.22.0")),
            "cpu_only_wheel");
  EXPECT_EQ(best_of(with(with(processor, "onnxruntime          1.18.0"), "onnxruntime-gpu      1.18.0")),
            "cpu_only_wheel");
  EXPECT_EQ(
      best_of(with(processor, "Successfully installed numpy-2.1 onnxruntime-1.22.0 onnxruntime-gpu-1.22.0")),
      "cpu_only_wheel");
  EXPECT_EQ(best_of(with(processor, " + onnxruntime-gpu==1.22.0")), "") << "only that one is listed";
  EXPECT_EQ(best_of({" + onnxruntime==1.22.0", " + onnxruntime-gpu==1.22.0",
                     "['TensorrtExecutionProvider', 'CUDAExecutionProvider', 'CPUExecutionProvider']"}),
            "")
      << "CUDA is offered";
}

TEST(LogsAgain, CompilersThatDoNotKnowAnArchitecture) {
  EXPECT_EQ(best_of({"ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'"}),
            "old_toolkit_codegen");
  EXPECT_EQ(best_of({"nvcc fatal   : Unsupported gpu architecture 'compute_89'"}), "old_toolkit_codegen");
  EXPECT_EQ(best_of({"nvcc fatal   : Unsupported gpu architecture 'compute_35'"}), "gpu_dropped_by_toolkit");
  EXPECT_EQ(best_of({"ptxas fatal   : Value 'sm_30' is not defined for option 'gpu-name'"}),
            "gpu_dropped_by_toolkit");
  const Diagnosis either = of_log({"nvcc fatal   : Unsupported gpu architecture 'compute_61'"});
  EXPECT_LT(score_of(either, "gpu_dropped_by_toolkit"), confident) << "CUDA 7.5 did not know it yet";
}

TEST(LogsAgain, AFabricManagerWithoutSwitches) {
  EXPECT_EQ(
      best_of(
          {"Job for nvidia-fabricmanager.service failed because the control process exited with error code.",
           "nv-fabricmanager[51]: request to query NVSwitch device information from NVSwitch driver failed with "
           "error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]"}),
      "")
      << "a machine without NVSwitch needs none";
}

TEST(LogsAgain, APodIsRefusedForSomethingElseOrRuns) {
  const std::string few = "0/4 nodes are available: 4 Insufficient nvidia.com/gpu.";
  EXPECT_EQ(best_of({few}), "gpu_request_unmet");
  EXPECT_GT(score_of(of_log({few}), "gpu_request_unmet"), bound::unconfident);
  for (const char* const line :
       {"0/9 nodes are available: 1 Insufficient nvidia.com/gpu, 8 node(s) had untolerated taint {gpu: yes}.",
        "0/9 nodes are available: 1 Insufficient nvidia.com/gpu, 8 Insufficient memory.",
        "0/9 nodes are available: 1 Insufficient nvidia.com/gpu, 8 node(s) didn't match Pod's node "
        "affinity/selector."})
    EXPECT_LE(score_of(of_log({line}), "gpu_request_unmet"), bound::below_half) << line;
  EXPECT_LE(score_of(of_log({few, "Started container trainer"}), "gpu_request_unmet"), bound::below_half);
  // Assigned after it; another pod, or the same one before.
  EXPECT_EQ(score_of(of_log({few, "Successfully assigned ml/train-0 to node3"}), "gpu_request_unmet"), 0);
  EXPECT_EQ(best_of({"Successfully assigned ml/train-0 to node3", few}), "gpu_request_unmet");
  const std::string named = "pod/train-0 0/4 nodes are available: 4 Insufficient nvidia.com/gpu.";
  EXPECT_EQ(best_of({named, "Successfully assigned web/front-7f to node1"}), "gpu_request_unmet");
  EXPECT_EQ(score_of(of_log({named, "Successfully assigned ml/train-0 to node1"}), "gpu_request_unmet"), 0);
}

TEST(LogsAgain, APlanThatIsTriedFirstOrATestThatIsLeftOut) {
  EXPECT_EQ(best_of({"RuntimeError: cuDNN Frontend error: No valid execution plans built."}),
            "cudnn_without_plan");
  for (const char* const line :
       {"UserWarning: cuDNN SDPA: No valid execution plans built, falling back to flash attention",
        "SKIPPED [2] test_sdpa.py:41: No execution plans support the graph"})
    EXPECT_LE(score_of(of_log({line, "step 100 loss 2.31"}), "cudnn_without_plan"), bound::below_half)
        << line;
}

TEST(LogsAgain, AnExtensionOfAnotherVersionOfTheFramework) {
  EXPECT_EQ(best_of({"ImportError: /opt/env/fused_cuda.cpython-311-x86_64-linux-gnu.so: undefined symbol: "
                     "_ZN3c104cuda9SetDeviceEi"}),
            "extension_build_mismatch");
  EXPECT_EQ(best_of({"ImportError: /opt/env/mine.so: undefined symbol: my_own_function"}), "");
}

TEST(LogsAgain, AHostCompilerThatNvccRefuses) {
  EXPECT_EQ(
      best_of(
          {"host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 12 are "
           "not supported!"}),
      "host_compiler_too_new");
  EXPECT_EQ(
      best_of(
          {"error -- unsupported clang version! clang version must be less than 17 and greater than 3.2 ."}),
      "host_compiler_too_new");
}

TEST(LogsAgain, RanksThatGlooBindsToTheLoopback) {
  const LogLines fell{
      "Warning: Unable to resolve hostname to a (local) address. Using the loopback address as "
      "fallback."};
  EXPECT_EQ(best_of(fell), "") << "as on one node, where it does no harm";
  EXPECT_EQ(best_of(with(fell, "[rank8]: Gloo connectFullMesh failed with pair.cc:144 no error")),
            "rank_unreachable");
}

TEST(LogsAgain, APluginThatNcclOnlyLooksFor) {
  const LogLines none{"n1:7:7 [0] NCCL INFO NET/Plugin : No plugin found (libnccl-net.so).",
                      "n1:7:7 [0] NCCL INFO NET/IB : No device found.",
                      "n1:7:7 [0] NCCL INFO NET/Socket : Using [0]ens3:10.9.12.2<0>"};
  EXPECT_LT(score_of(of_log(none), "nccl_plugin_load_failure"), named);
}

TEST(LogsAgain, AnExporterWithoutTheRightToProfile) {
  const LogLines exporter{
      "maxprocs: Leaving GOMAXPROCS=9: CPU quota undefined",
      "Warning #2: dcgm-exporter doesn't have sufficient privileges to expose profiling metrics."};
  EXPECT_EQ(best_of(exporter), "profiling_restricted");
  EXPECT_LT(score_of(of_log(exporter), "cgroup_cpu_limit"), named);
}

}  // namespace
}  // namespace gpugauge::diagnose
