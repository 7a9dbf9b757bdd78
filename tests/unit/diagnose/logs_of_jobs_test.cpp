// What the log of a job says of memory, of containers and of saved engines: made-up lines in the forms of the tools.
#include <gmock/gmock.h>

#include "diagnose/signature.hpp"
#include "logs.hpp"

namespace gpugauge::diagnose {
namespace {

/// PyTorch's report of a GPU of 79.15 GiB.
std::string out_of_memory(const std::string& free, const std::string& own) {
  return "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
         "79.15 GiB of which " +
         free + " GiB is free. Including non-PyTorch memory, this process has " + own + " GiB memory in use.";
}

TEST(LogsOfJobs, AGpuWhoseMemoryTheWorkItselfFills) {
  EXPECT_EQ(best_of({out_of_memory("1.02", "78.10")}), "gpu_memory_full");
  EXPECT_GE(score_of(of_log({out_of_memory("1.02", "78.10")}), "gpu_memory_full"), confident);
  // It is not known who holds the memory.
  for (
      const char* const line :
      {"RuntimeError: CUDA error: out of memory",
       "E tensorflow: OOM when allocating tensor with shape[64,512,56,56] and type float on GPU:0",
       "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9216.00 MiB on device 0: cudaMalloc failed: out of "
       "memory",
       "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 34359738368 bytes."}) {
    EXPECT_EQ(best_of({line}), "gpu_memory_full") << line;
    EXPECT_LT(score_of(of_log({line}), "gpu_memory_full"), confident) << line;
  }
}

TEST(LogsOfJobs, MemoryThatOthersHoldOrThatIsNotTheGpus) {
  EXPECT_EQ(best_of({out_of_memory("1.02", "4.10")}), "neighbour_process");
  EXPECT_LT(score_of(of_log({out_of_memory("60.00", "10.10")}), "gpu_memory_full"), confident);
  for (
      const char* const line :
      {"slurmstepd: error: Detected 1 oom_kill event in StepId=1234.0. Some of the step tasks have been OOM Killed.",
       "RuntimeError: CUDA error: out of memory in pin_memory", "step 100 loss 2.31, 0 out of memory retries",
       "cudaHostAlloc failed: out of memory"})
    EXPECT_LT(score_of(of_log({line}), "gpu_memory_full"), named) << line;
}

TEST(LogsOfJobs, ACdiDescriptionThatIsMissingOrOld) {
  for (
      const char* const line :
      {"Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all",
       "error modifying OCI spec: failed to inject CDI devices: unresolvable CDI devices nvidia.com/gpu=0",
       "error mounting \"/usr/lib/x86_64-linux-gnu/libEGL_nvidia.so.550.54.14\" to rootfs: no such file or directory",
       "Error: crun: error stat'ing file `/usr/lib64/libcuda.so.550.54.14`: No such file or directory"})
    EXPECT_EQ(best_of({line}), "cdi_spec_stale") << line;
  for (const char* const line : {"unresolvable CDI devices amd.com/gpu=all",
                                 "error mounting \"/data\" to rootfs: no such file or directory"})
    EXPECT_LT(score_of(of_log({line}), "cdi_spec_stale"), named) << line;
}

TEST(LogsOfJobs, AnEngineOfAnotherTensorRtOrGpu) {
  for (
      const char* const line :
      {"The engine plan file is generated on an incompatible device, expecting compute 7.5 got compute 8.6, please "
       "rebuild.",
       "The engine plan file is not compatible with this version of TensorRT, expecting library version 8.6.1.6 got "
       "8.5.3.1, please rebuild.",
       "Serialization assertion stdVersionRead == kSERIALIZATION_VERSION failed.Version tag does not match. Note: "
       "Current Version: 237, Serialized Engine Version: 239"})
    EXPECT_EQ(best_of({line}), "engine_of_another_stack") << line;
  EXPECT_EQ(best_of({"Engine deserialized in 1.2 s", "TensorRT 10.3, engine built for compute 8.6"}), "");
}

TEST(LogsOfJobs, WhatGoesOnOrIsAnothersIsNoConfidentFinding) {
  const std::vector<std::pair<LogLines, const char*>> logs{
      {{"nvcc not found, using prebuilt wheel", "Successfully installed flash-attn-2.7.4"},
       "toolkit_missing"},
      {{"-- CUDA_TOOLKIT_ROOT_DIR not found or specified", "-- Generating done"}, "toolkit_missing"},
      {{"Submit Time 10 Start Time 20 Data 15"}, "gpu_waits_for_data"},
      {{"[   0/1251] time: 3.9594  data: 2.8123"}, "gpu_waits_for_data"},
      {{"engine plan file is not compatible with this version of TensorRT, rebuilding",
        "Building engine... done"},
       "engine_of_another_stack"},
      {{"modprobe: ERROR: could not insert 'vboxdrv': Key was rejected by service",
        "nvidia 56823808 0 - Live"},
       "secure_boot_rejects_module"},
      {{"When the spec is missing, the runtime prints 'unresolvable CDI devices nvidia.com/gpu=all'."},
       "cdi_spec_stale"},
      {{"libm.so.6: version `GLIBC_2.34' not found (required by /.singularity.d/libs/libGLX_mesa.so.0)"},
       "container_old_libc"},
      {{"NVENC session limit patch applied"}, "encoder_sessions_used_up"},
      {{"Trial 3 pruned: CUDA out of memory"}, "gpu_memory_full"}};
  for (const auto& [log, cause] : logs) EXPECT_LT(score_of(of_log(log), cause), confident) << cause;
}

}  // namespace
}  // namespace gpugauge::diagnose
