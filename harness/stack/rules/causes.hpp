// The names of all causes that rules can give, from the ground up. A name that is not in this list does not
// compile (Cause). A test checks that docs/findings.md has a row for each.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace gpugauge::stack {

/// In the order in which a reader meets them, from the hardware up.
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
    "driver_starts_slowly",
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
    "kernel_newer_than_driver",
    "module_parameters_set",
    "vgpu_unlicensed",
    "vgpu_driver_mismatch",
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
    "fabric_unhealthy",
    "nvswitch_error",
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
    "locked_memory_limit",
    "iommu_translation",
    "acs_enabled",
    "gdr_disabled",
    "rdma_link_degraded",
    "rdma_ports_differ",
    "cuda_launch_blocking",
    "tf32_env_override",
    "jit_cache_disabled",
    "ptx_jit_forced",
    "ptx_jit_disabled",
    "eager_module_loading",
    "profiler_attached",
    "relative_search_path",
    "nccl_env_leftover",
    "environment_tuning",
    "items_unreadable",
    // toolkit, runtime and compiler
    "toolkit_newer_than_driver",
    "toolkit_minor_newer_than_driver",
    "gpu_dropped_by_toolkit",
    "old_toolkit_codegen",
    "forward_compat_older_than_driver",
    "toolkit_environment_conflict",
    "toolkit_variable_dangling",
    "host_compiler_too_new",
    "extension_build_mismatch",
    "toolkit_system_unsupported",
    // libraries
    "mixed_library_versions",
    "duplicate_library_versions",
    "process_maps_replaced_library",
    "library_newer_than_driver",
    "cudnn_not_for_gpu",
    "cudnn_not_for_cuda",
    "nccl_not_for_cuda",
    "library_known_issue",
    // frameworks
    "framework_newer_than_driver",
    "missing_cuda_libraries",
    "missing_or_wrong_major_cudnn",
    "ort_cuda_ep_fallback",
    "cpu_only_wheel",
    "framework_installed_twice",
    "framework_import_fails",
    "framework_sees_no_gpu",
    "ptx_jit_startup",
    "wheel_not_as_pinned",
    "not_in_tables",
    // a container image (doctor --image-env)
    "image_requirement_refused",
    "image_newer_than_driver",
    "image_needs_forward_compatibility",
    "image_not_for_gpu",
    "image_without_compute",
    "image_hides_gpus",
    "image_floating_tag",
    "image_requirement_unread",
    // a plan (doctor --plan)
    "plan_not_pinned",
});

/// A name from the list above, checked at compile time.
class Cause {
 public:
  /// `name` must be one of cause_names; any other does not compile.
  consteval Cause(const char* name) : name_(name) {
    if (std::find(cause_names.begin(), cause_names.end(), name_) == cause_names.end())
      throw "no cause of this name in cause_names";
  }
  constexpr std::string_view name() const { return name_; }  ///< valid as long as the program

 private:
  std::string_view name_;
};

}  // namespace gpugauge::stack
