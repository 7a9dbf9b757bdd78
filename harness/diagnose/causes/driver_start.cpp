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
const Words not_ready_names{"cudaErrorSystemNotReady", "CUDA_ERROR_SYSTEM_NOT_READY",
                            "system not yet initialized"};
const Words unknown_names{"cudaErrorUnknown", "CUDA_ERROR_UNKNOWN",           "CUDA unknown error",
                          "UNKNOWN_ERROR",    "returned 30 -> unknown error", "cudaError 30"};
const Words hmm_lines{"devmem_alloc_pagemap", "request_free_mem_region", "uvm_pmm_gpu*err -34"};
const Words manager_mismatch_lines{"don't match with driver version", "does not match driver version",
                                   "fabric manager*version*mismatch", "fabric*mismatch*driver",
                                   "driver interface version"};

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

/// The fabric's state is known, and is neither complete nor unsupported.
Fact fabric_not_done(const Seen& seen) {
  const Value* state = seen.inventory("gpu.fabric_state");
  if (state == nullptr) return std::nullopt;
  const std::string word = lower(state->text());
  if (word == "completed" || word == "complete" || word == "success" || word == "ok" ||
      word.starts_with("not_supported") || word.starts_with("not supported") || word == "n/a")
    return std::nullopt;
  return fmt::format("gpu.fabric_state = {}", state->text());
}

/// The name is that of a board for machines with NVSwitch. H100 NVL and H200 NVL have bridges instead.
Fact board_with_switch(const Seen& seen) {
  if (seen.gpu_named({"NVL", "PCIe", "PCIE"})) return std::nullopt;
  return seen.gpu_named({"SXM", "SXM3", "SXM4", "SXM5", "SXM6", "HBM3", "HBM3e", "HGX", "DGX", "GB200",
                         "GB300", "B200", "B300", "H200", "H20"});
}

/// True for a GPU with NVLink 5, whose fabric manager also needs the NVLink subnet manager (NVLSM).
bool nvlink_5(const Seen& seen) {
  const std::string& capability = seen.it().about.compute_capability;
  return capability.empty() ? seen.gpu_named({"B100", "B200", "B300", "GB200", "GB300"}).has_value()
                            : capability.starts_with("10.");
}

/// No NVSwitch was seen. Switches of NVLink 5 do not appear as PCI functions, so they are never missed.
Fact switch_missing(const Seen& seen) {
  return nvlink_5(seen) ? std::nullopt : seen.off("topology.nvswitch");
}

/// The service does not run where it should. On most machines it is rightly absent.
Fact manager_not_running(const Seen& seen) {
  const Value* state = seen.inventory("fabric_manager.state");
  if (state == nullptr) return std::nullopt;
  const bool absent = state->off() || contains_any(state->text(), {"not installed", "absent"});
  if (absent && !seen.on("topology.nvswitch") && !seen.told({"NVSwitch"}) && !board_with_switch(seen))
    return std::nullopt;
  if (absent ||
      contains_any(state->text(), {"exited", "exits", "inactive", "fail", "dead", "stopped", "not running",
                                   "masked", "disabled", "crash", "restarting", "core-dump", "core dump"}))
    return fmt::format("fabric_manager.state = {}", state->text());
  return std::nullopt;
}

/// The first version of a driver ("525.147.05") behind one of these names in a text; "" where there is none.
std::string version_behind(const std::string& text, Words names) {
  const std::string low = lower(text);
  for (const std::string_view name : names)
    for (std::size_t at = low.find(name); at != std::string::npos; at = low.find(name, at + 1)) {
      // "nvidia-fabricmanager-525 525.125.06-1", "nvidia-fabric-manager-550.90.07"
      constexpr std::size_t near = 24;
      for (std::size_t i = at + name.size(); i < std::min(low.size(), at + name.size() + near); ++i) {
        const auto is_digit = [&](std::size_t where) {
          return where < low.size() && low[where] >= '0' && low[where] <= '9';
        };
        if (!is_digit(i) || is_digit(i - 1) || !is_digit(i + 1) || !is_digit(i + 2) || is_digit(i + 3))
          continue;
        std::size_t end = i + 3;
        while (end < low.size() && (is_digit(end) || (low[end] == '.' && is_digit(end + 1)))) ++end;
        if (end > i + 3) return low.substr(i, end - i);
      }
    }
  return "";
}

/// Packages or words give the fabric manager another version than the driver.
Fact packages_differ(const Seen& seen) {
  std::string manager;
  std::string driver;
  if (const Value* version = seen.inventory("driver.version")) driver = version->text();
  if (seen.it().changed)
    if (const auto found = seen.it().changed->find("driver"); found != seen.it().changed->end())
      driver = found->second.after.text();
  std::vector<std::string> texts = seen.it().log;
  for (const ErrorSeen& error : seen.it().errors) texts.push_back(error.text);
  for (const Metric& metric : seen.it().metrics) texts.push_back(metric.note);
  for (const std::string& text : texts) {
    if (manager.empty())
      manager = version_behind(text, {"fabricmanager", "fabric-manager", "fabric manager"});
    if (driver.empty())
      driver = version_behind(
          text, {"nvidia-driver", "driver version", "kernel module", "nvidia-kernel", "driver"});
  }
  const auto dots = [](const std::string& version) {
    return std::count(version.begin(), version.end(), '.');
  };
  if (manager.empty() || driver.empty() || dots(manager) != dots(driver) ||
      compare_versions(manager, driver) == 0)
    return std::nullopt;
  return fmt::format("the fabric manager is {} and the driver {}", manager, driver);
}

Fact manager_version_differs(const Seen& seen) {
  if (Fact fact = seen.versions_differ("fabric_manager.version", "driver.version")) return fact;
  if (Fact fact = seen.versions_differ("fabric_manager.version", "driver.kernel_module_version")) return fact;
  return packages_differ(seen);
}

/// The manager was put to the driver's version, and not only started.
Fact manager_version_recovers(const Seen& seen) {
  for (const std::string_view name : {"fabricmanager=", "fabric_manager=", "fabric-manager=",
                                      "fabric manager=", "fabric_manager.version", "fabricmanager-"})
    if (Fact fact = seen.probe("change_version", {"recovers"}, {name})) return fact;
  return std::nullopt;
}

/// The fabric manager finds no NVSwitch.
Fact nothing_to_manage(const Seen& seen) {
  return seen.told({"NV_WARN_NOTHING_TO_DO", "no NVSwitch", "NVSwitch*not found"});
}

void examine_manager_down(const Seen& seen, Argument& it) {
  const Fact error = seen.error(802, not_ready_names);
  it.confirms(weight::good, error);
  it.confirms(weight::good, manager_not_running(seen));
  it.confirms(weight::good, seen.told({"fabricmanager*not found", "fabricmanager*inactive",
                                       "fabricmanager*not running", "fabricmanager*failed",
                                       "fabric manager*not running", "fabric manager*config*invalid",
                                       "FABRIC_NODE_CONFIG_FILE*invalid", "fabric manager*crash",
                                       "fabricmanager*crash", "nvidia-fabricmanager*could not be found"}));
  it.confirms(weight::good, seen.told({"nvlsm*does not exist", "nvlsm*not found", "ib_umad*not been loaded",
                                       "umad_init: can't"}));
  it.confirms(weight::strong,
              seen.recovers_by({"fabric_manager", "fabricmanager", "fabric manager", "nvlsm", "ib_umad"}));
  const bool state_read = !it.evidence().empty() || fabric_not_done(seen);
  // Before the switches are set up, NVML lists GPUs that CUDA does not see.
  if (seen.fails({"init"}) && board_without_devices(seen)) {
    it.confirms(weight::fair, board_without_devices(seen));
    if (!state_read) it.unproven(bound::unconfident, Fact("nothing tells the state of the fabric"));
  }
  if (!it.evidence().empty() || seen.fails({"init"})) {
    it.confirms(weight::fair, fabric_not_done(seen));
    // The board alone suggests a fabric but tells nothing about its state.
    const Fact fabric = either(seen.on("topology.nvswitch"), seen.told({"NVSwitch"}));
    it.confirms(it.evidence().empty() && !fabric ? weight::hint : weight::fair,
                either(fabric, board_with_switch(seen)));
    if (!it.evidence().empty()) it.confirms(weight::faint, nvml_works(seen));
  }
  it.rules_out(seen.told(hmm_lines));
  it.rules_out(both(switch_missing(seen), seen.off("gpu.fabric_state")));
  it.at_most(bound::unnamed, switch_missing(seen));
  // Without an NVSwitch the service exits by itself, and nothing waits for it. With NVLink 5 it also exits so
  // if NVLSM is missing. Where error 802 was seen, something does wait.
  const Fact nothing_to_do = nothing_to_manage(seen);
  if (nvlink_5(seen)) {
    it.confirms(weight::good, both(either(error, fabric_not_done(seen)), nothing_to_do));
  } else {
    it.at_most(error ? bound::half : 0, nothing_to_do);
  }
  if (!error) it.rules_out(seen.gpu_is({"GeForce", "TITAN", "Quadro"}));
  if (!error && !fabric_not_done(seen)) it.at_most(bound::unnamed, gpu_computes(seen));
  it.at_most(bound::remote, invalid_ordinal(seen));
  it.at_most(bound::weak, seen.told(manager_mismatch_lines));
  it.at_most(bound::weak, manager_version_differs(seen));
  it.at_most(bound::weak, in_words("its version mends it", manager_version_recovers(seen)));
  it.at_most(bound::weak, seen.recovers_by({"nokaslr", "uvm_disable_hmm", "conf-compute", "-srs"}));
  if (!manager_not_running(seen))
    it.at_most(bound::below_half, seen.on("host.virtualization", {"confidential"}));
  it.at_most(bound::unnamed,
             seen.on("fabric_manager.state", {"active", "running"}) && !manager_not_running(seen)
                 ? Fact("the fabric manager is running")
                 : Fact());
}

void examine_manager_version(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told(manager_mismatch_lines));
  it.confirms(weight::strong, manager_version_differs(seen));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, manager_not_running(seen));
    it.confirms(weight::hint, seen.error(802, not_ready_names));
    it.confirms(weight::faint, seen.on("topology.nvswitch"));
  }
  it.confirms(weight::strong, either(seen.recovers_by({"fabric_manager.version", "fabricmanager="}),
                                     manager_version_recovers(seen)));
  // A service without a switch to manage is of no version that matters.
  if (!seen.error(802, not_ready_names) && !nvlink_5(seen)) it.rules_out(nothing_to_manage(seen));
}

void examine_kaslr(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told(hmm_lines));
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
  if (Fact fact = seen.told({"suspend", "resume from", "and resume", "after resume", "resumed", "hibernat",
                             "woke up", "sleep mode", "wakes up", "waking up"}))
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
  it.rules_out(seen.told(hmm_lines));
  it.at_most(bound::unnamed, nvml_mismatch(seen));
  it.at_most(bound::unnamed, seen.error(803, mismatch_names));
  it.at_most(bound::unnamed, seen.recovers_by({"nokaslr", "uvm_disable_hmm"}));
}

}  // namespace

Fact no_device(const Seen& seen) {
  return seen.error(100, no_device_names);
}

Fact nvml_works(const Seen& seen) {
  return seen.probe("nvml_query", {"succeeds", "normal"});
}

Fact nvml_mismatch(const Seen& seen) {
  return seen.nvml_error(18, {"Driver/library version mismatch", "NVML_ERROR_LIB_RM_VERSION_MISMATCH",
                              "LIB_RM_VERSION_MISMATCH"});
}

Fact board_without_devices(const Seen& seen) {
  if (!seen.on("topology.nvswitch") && !board_with_switch(seen)) return std::nullopt;
  return both(no_device(seen), nvml_works(seen));
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
      {.name = "fabric_manager_down",
       .title = "The fabric manager of an NVSwitch machine is not running",
       .what = "On machines with NVSwitch CUDA starts only after the fabric manager has set the switches up. "
               "NVML works "
               "without it, so nvidia-smi looks healthy.",
       .moves = "init x, p2p x, coll_large ?",
       .confirms =
           "error 802, an NVSwitch machine, the fabric's state is not completed, the service is down; "
           "with NVLink 5 also that it finds nothing to do, for want of nvlsm",
       .excludes =
           "no NVSwitch and no fabric; the service runs in the driver's version; the kernel log refuses "
           "nvidia_uvm's memory",
       .confused_with = {{"fabric_manager_version_mismatch", "does its journal say that versions differ?"},
                         {"kernel_kaslr_hmm", "does the kernel log name devmem_alloc_pagemap?"},
                         {"confidential_computing", "is confidential computing on, and no NVSwitch there?"}},
       .severity = Severity::failure,
       .next = "systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A2 Fabric; with NVLink 5 (B100, "
               "B200, "
               "B300): install nvlsm, modprobe ib_umad; systemctl enable --now nvidia-fabricmanager",
       .reading = {"https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"},
       .examine = examine_manager_down},
      {.name = "fabric_manager_version_mismatch",
       .title = "The fabric manager has another version than the driver",
       .what = "The fabric manager must be of exactly the driver's version, to the patch level. After one of "
               "the two was "
               "upgraded alone it ends at its start.",
       .moves = "init x, coll_large ?",
       .confirms = "its journal says so; its version differs from the driver's",
       .excludes = "the versions are equal",
       .confused_with = {{"fabric_manager_down", "are the versions equal?"},
                         {"umd_kmd_mismatch", "do NVML and the kernel module agree?"}},
       .severity = Severity::failure,
       .latent = true,
       .next = "journalctl -u nvidia-fabricmanager -n 20; install the package of the version in "
               "/proc/driver/nvidia/version",
       .reading = {"https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"},
       .examine = examine_manager_version},
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
