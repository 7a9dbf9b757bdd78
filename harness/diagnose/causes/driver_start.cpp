// Causes that keep CUDA from starting although the kernel module is loaded.
#include "diagnose/causes/driver_start.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpugauge::diagnose {
namespace {

const Words no_device_names{"cudaErrorNoDevice",
                            "CUDA_ERROR_NO_DEVICE",
                            "no CUDA-capable device",
                            "No CUDA GPUs are available",
                            "no CUDA devices",
                            "No devices were found",
                            "no GPU*detected",
                            "found no NVIDIA",
                            "no cuda device is detected",
                            "could not find any CUDA device"};
const Words mismatch_names{"cudaErrorSystemDriverMismatch", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
                           "unsupported display driver / cuda driver combination"};
const Words compat_names{"cudaErrorCompatNotSupportedOnDevice", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
                         "forward compatibility was attempted on non supported"};
const Words unknown_names{"cudaErrorUnknown", "CUDA_ERROR_UNKNOWN",           "CUDA unknown error",
                          "UNKNOWN_ERROR",    "returned 30 -> unknown error", "cudaError 30"};
const Words hmm_lines{"devmem_alloc_pagemap", "request_free_mem_region", "uvm_pmm_gpu*err -34"};

/// A libcuda of a compat folder is found before the driver's own.
Fact compat_before_own(const Seen& seen) {
  const Value* paths = seen.inventory("driver.libcuda_path");
  if (paths == nullptr || paths->items().size() < 2 || !contains(paths->items().front(), "compat") ||
      contains(paths->items().back(), "compat"))
    return std::nullopt;
  return fmt::format("driver.libcuda_path = {}, and then {}", paths->items().front(), paths->items().back());
}

void examine_mismatch(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.error(803, mismatch_names));
  it.confirms(weight::proof, nvml_mismatch(seen));
  it.confirms(weight::proof,
              seen.told({"API mismatch: the client has the version", "API mismatch*kernel module",
                         "kernel version*does not match DSO version", "API mismatch*client"}));
  it.confirms(weight::strong, seen.versions_differ("driver.libcuda_version", "driver.kernel_module_version"));
  it.confirms(weight::fair, seen.versions_differ("driver.version", "driver.kernel_module_version"));
  const Fact only_new =
      both(seen.fails({}, {.phase = "new_process"}), seen.unchanged({}, {.phase = "already_running"}));
  it.confirms(weight::fair, only_new);
  // What was running when the driver was replaced keeps the old library, and goes on without the GPU.
  it.confirms(weight::good, both(both(seen.changed({"driver"}),
                                      seen.slower(application_classes, {.phase = "already_running"})),
                                 gpu_not_used(seen)));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.changed({"driver", "os"}));
    it.confirms(weight::hint, seen.probe("nvml_query", {"fails"}));
    it.confirms(weight::hint, seen.told({"unattended-upgrade", "apt*upgrade*nvidia", "Upgraded*nvidia"}));
  }
  it.at_most(bound::unnamed, seen.error(804, compat_names));
  if (!nvml_mismatch(seen)) it.at_most(bound::half, compat_before_own(seen));
  if (!nvml_mismatch(seen) && !seen.error(803, mismatch_names))
    it.at_most(bound::weak, seen.on("driver.libcuda_path", {"compat"}));
}

void examine_compat(const Seen& seen, Argument& it) {
  const Fact error = seen.error(804, compat_names);
  it.confirms(weight::proof, error);
  if (error || seen.fails({})) {
    it.confirms(weight::good, seen.on("driver.libcuda_path", {"compat"}));
  }
  it.confirms(weight::strong, both(seen.error(803, mismatch_names), compat_before_own(seen)));
  it.confirms(weight::strong, seen.recovers_by({"cuda-compat", "compat removed", "compat="}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.on("gpu.brand", {"geforce", "titan", "rtx"}));
    it.confirms(weight::hint, seen.gpu_is({"geforce", "rtx 2", "rtx 3", "rtx 4", "rtx 5", "gtx", "titan"}));
  }
  if (!error && !compat_before_own(seen)) it.at_most(bound::unnamed, seen.error(803, mismatch_names));
}

void examine_kaslr(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, memory_without_room(seen));
  it.confirms(weight::proof, seen.recovers_by({"kaslr", "nokaslr", "uvm_disable_hmm"}));
  it.confirms(weight::fair, seen.told({"nvidia-uvm*err", "nvidia_uvm*HMM", "HMM*nvidia"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.on("kernel.kaslr"));
    it.confirms(weight::faint, nvml_works(seen));
  }
  it.at_most(bound::unnamed, seen.off("kernel.kaslr"));
}

/// CUDA's own text of error 999 is no more than "unknown error".
Fact unknown_error(const Seen& seen) {
  for (const ErrorSeen& error : seen.it().errors)
    if ((error.api == "cuda" || error.api == "driver") && lower(error.text) == "unknown error")
      return fmt::format("{} error \"{}\"", error.api, error.text);
  return seen.error(999, unknown_names);
}

/// The machine slept and woke up.
Fact resumed(const Seen& seen) {
  if (Fact fact =
          seen.told({"suspend", "resume from", "and resume", "after resume", "resumed", "hibernat", "woke up",
                     "sleep mode", "wakes up", "waking up"},
                    {"checkpoint", "step", "training", "epoch", "nosave", "sleep mode freed", "download"}))
    return fact;
  for (const Probe& probe : seen.it().probes)
    if (probe.outcome == "fails" &&
        contains_any_word(probe.detail, {"suspend", "resume", "hibernat", "sleep="}))
      return fmt::format("tried: {} ({}) fails", probe.name, probe.detail);
  return std::nullopt;
}

void examine_uvm_module(const Seen& seen, Argument& it) {
  const Fact error = unknown_error(seen);
  it.confirms(weight::good, error);
  it.confirms(weight::hint, seen.error(304, {"CUDA_ERROR_OPERATING_SYSTEM", "OS call failed"}));
  it.confirms(weight::strong,
              both(seen.off("uvm.loaded"), either(error, seen.fails({"init", "application"}))));
  it.confirms(weight::good, seen.told({"nvidia_uvm*not found", "nvidia-uvm*not found", "modprobe*nvidia_uvm",
                                       "nvidia-uvm*failed", "nvidia_uvm*in use", "nvidia_uvm*not loaded",
                                       "could not insert 'nvidia*uvm", "could not find module*nvidia*uvm",
                                       "nvidia-uvm*not loaded"}));
  it.confirms(weight::good, node_refused(seen, "/dev/nvidia-uvm"));
  it.confirms(weight::strong, seen.recovers_by({"nvidia_uvm", "nvidia-uvm", "uvm"}));
  it.confirms(weight::good, both(seen.fails({"init"}), resumed(seen)));
  if (!it.evidence().empty()) {
    it.confirms(weight::fair, both(error, nvml_works(seen)));
    if (!seen.fails({"init"})) it.confirms(weight::fair, resumed(seen));
  }
  it.rules_out(memory_without_room(seen));
  it.at_most(bound::unnamed, nvml_mismatch(seen));
  it.at_most(bound::unnamed, seen.error(803, mismatch_names));
  it.at_most(bound::unnamed, seen.recovers_by({"nokaslr", "uvm_disable_hmm"}));
  // Where the driver's own module is not there, this one is not either.
  it.at_most(bound::unnamed, seen.told({"Module nvidia not found"}));
}

}  // namespace

Fact no_device(const Seen& seen) {
  return seen.error(100, no_device_names);
}

Fact memory_without_room(const Seen& seen) {
  return seen.told(hmm_lines);
}

Fact nvml_works(const Seen& seen) {
  return seen.probe("nvml_query", {"succeeds", "normal"});
}

Fact nvml_mismatch(const Seen& seen) {
  return seen.nvml_error(18, {"Driver/library version mismatch", "NVML_ERROR_LIB_RM_VERSION_MISMATCH",
                              "LIB_RM_VERSION_MISMATCH"});
}

Signatures driver_start_causes() {
  return {
      {.name = "umd_kmd_mismatch",
       .title = "The driver's libraries and the loaded kernel module are of different versions",
       .what = "A package upgrade replaced libcuda and NVML on disk while the old kernel module stays "
               "loaded. What runs "
               "goes on; every new process fails, at the latest when a container is created anew.",
       .moves = "init x",
       .confirms = "error 803, NVML 18, \"API mismatch\" in the kernel log, or two versions side by side",
       .excludes = "error 804",
       .confused_with = {{"forward_compat_on_geforce",
                          "is the code 803 or 804, and is libcuda in a compat folder?"},
                         {"kernel_module_missing", "is a module loaded at all?"},
                         {"uvm_module_bad", "does NVML work?"}},
       .severity = Severity::failure,
       .latent = true,
       .next = "cat /proc/driver/nvidia/version; nvidia-smi; then reload the module or reboot, and hold the "
               "packages",
       .reading = {"https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceEnumvs.html"},
       .examine = examine_mismatch},
      {.name = "forward_compat_on_geforce",
       .title = "A forward-compatibility libcuda is used on a GPU that does not allow it",
       .what =
           "The cuda-compat package lets an older kernel driver run a newer CUDA, on data-centre GPUs only. "
           "A container "
           "that brings it, or a container runtime that mounts it, stops CUDA on other GPUs with error 804.",
       .moves = "init x",
       .confirms = "error 804; libcuda lies in a compat folder; a GeForce GPU",
       .excludes = "error 803",
       .confused_with = {{"umd_kmd_mismatch", "is the code 804 or 803?"}},
       .severity = Severity::failure,
       .next = "readlink -f $(ldconfig -p | awk '/libcuda.so.1/{print $NF; exit}'); take the compat folder "
               "out of the "
               "search path",
       .reading = {"https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html"},
       .examine = examine_compat},
      {.name = "kernel_kaslr_hmm",
       .title = "nvidia_uvm finds no address space for device memory under KASLR",
       .what = "With the kernel's addresses randomised, some kernels leave no region for the driver's "
               "heterogeneous memory "
               "management: CUDA does not start, NVML works.",
       .moves = "init x",
       .confirms =
           "devmem_alloc_pagemap or request_free_mem_region in the kernel log; nokaslr or uvm_disable_hmm=1 "
           "recovers",
       .excludes = "KASLR is off",
       .confused_with = {{"fabric_manager_down", "is it an NVSwitch machine whose fabric is not ready?"},
                         {"uvm_module_bad", "does the kernel log name devmem_alloc_pagemap?"}},
       .severity = Severity::failure,
       .next = "dmesg | grep -i uvm; echo 'options nvidia_uvm uvm_disable_hmm=1' | sudo tee "
               "/etc/modprobe.d/nvidia-uvm-without-hmm.conf, and reload it",
       .reading = {"https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html"},
       .examine = examine_kaslr},
      {.name = "uvm_module_bad",
       .title = "The nvidia_uvm module is missing or in a bad state",
       .what = "CUDA needs nvidia_uvm beside the driver's own module. Not loaded, or broken after suspend "
               "and resume, it "
               "ends CUDA with error 999 while NVML works.",
       .moves = "init x",
       .confirms = "error 999 with NVML working; nvidia_uvm is not loaded; reloading it recovers",
       .excludes = "NVML fails too; error 803",
       .confused_with = {{"umd_kmd_mismatch", "does NVML work?"},
                         {"kernel_kaslr_hmm", "does the kernel log name devmem_alloc_pagemap?"},
                         {"no_visible_device", "is the code 999 or 100?"}},
       .severity = Severity::failure,
       .next = "lsmod | grep nvidia_uvm; rmmod nvidia_uvm; modprobe nvidia_uvm; ls -l /dev/nvidia-uvm",
       .reading = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"},
       .examine = examine_uvm_module},
  };
}

}  // namespace gpugauge::diagnose
