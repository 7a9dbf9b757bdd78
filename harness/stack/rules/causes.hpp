// The names of the causes that the rules of start-up, driver, GPUs and host can give, from the ground up. A
// name that is not in this list does not compile (Cause), and docs/findings.md has a row for each, which a
// test checks.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace gpugauge::stack {

inline constexpr auto cause_names = std::to_array<std::string_view>({
    // hardware and kernel module
    "no_nvidia_hardware",
    "gpu_reserved_for_vm",
    "nouveau_loaded",
    "secure_boot_rejects_module",
    "open_module_required",
    "gpu_generation_not_driven",
    "pci_region_not_assigned",
    "driver_not_installed",
    "kernel_module_missing",
    "device_nodes_missing",
    "device_access_denied",
    // driver libraries
    "container_without_driver",
    "driver_library_missing",
    "driver_library_stub",
    "driver_library_duplicate",
    "wsl_linux_driver_installed",
    "umd_kmd_mismatch",
    // start of CUDA and NVML
    "driver_hangs",
    "driver_crashes",
    "driver_gives_no_answer",
    "fabric_manager_version_mismatch",
    "fabric_manager_down",
    "fabric_not_ready",
    "kernel_kaslr_hmm",
    "forward_compat_on_geforce",
    "forward_compat_unsupported",
    "driver_too_old",
    "uvm_module_bad",
    "mps_connection_failed",
    "no_visible_device",
    "arch_not_in_binary",
    "ptx_newer_than_driver",
    "cuda_start_failed",
    "nvml_start_failed",
    // driver
    "container_newer_than_host",
    "driver_branch_ended",
    "driver_branch_ends_soon",
    "driver_branch_unknown",
    "driver_patch_behind",
    "driver_not_long_term",
    "driver_known_issue",
    "driver_not_held",
    "unattended_driver_upgrade",
    "module_missing_for_newest_kernel",
    "module_parameters_set",
    "vgpu_unlicensed",
    "confidential_computing",
    // GPUs: health
    "gpu_lost",
    "gpu_start_failed",
    "gpu_count_differs",
    "hbm_row_remap",
    "row_remap_pending",
    "retired_pages_pending",
    "ecc_uncorrected_errors",
    "gsp_firmware",
    "hw_power_brake",
    "thermal_throttle",
    "pcie_link_degraded",
    "nvlink_partial",
    "xid_seen",
    // GPUs: settings
    "compute_mode_restricts",
    "pending_setting",
    "mig_left_enabled",
    "sw_power_cap",
    "locked_clocks_left",
    "ecc_mode_differs",
    "gpu_settings_differ",
    "gpu_models_differ",
    "gpu_last_driver_branch",
    "persistence_mode_off",
    "other_processes",
    "gpus_hidden",
    // host, container, environment
    "container_old_libc",
    "old_libc",
    "wsl_limits",
    "cgroup_cpu_limit",
    "cpu_affinity_wrong",
    "cpu_governor",
    "shm_too_small",
    "pageable_memory",
    "iommu_translation",
    "acs_enabled",
    "gdr_disabled",
    "cuda_launch_blocking",
    "tf32_env_override",
    "jit_cache_disabled",
    "ptx_jit_forced",
    "ptx_jit_disabled",
    "eager_module_loading",
    "profiler_attached",
    "nccl_env_leftover",
    "environment_tuning",
    "items_unreadable",
});

/// A name of the list above, checked when the code is compiled.
class Cause {
 public:
  consteval Cause(const char* name) : name_(name) {
    if (std::find(cause_names.begin(), cause_names.end(), name_) == cause_names.end())
      throw "no cause of this name in cause_names";
  }
  constexpr std::string_view name() const { return name_; }

 private:
  std::string_view name_;
};

}  // namespace gpugauge::stack
