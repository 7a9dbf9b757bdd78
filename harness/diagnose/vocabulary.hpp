// The words of an observation file. A test checks that docs/observation.md and
// docs/schema/observation-1.schema.json name the same words.
#pragma once

#include <array>
#include <string_view>

namespace gpugauge::diagnose {

/// Values of About::compared_with.
inline constexpr std::array<std::string_view, 4> sides{"earlier", "peers", "expected", "other_configuration"};
/// Note of a figure that is slow against its physical limit, whatever it is compared with.
inline constexpr std::string_view against_physical_limit = "against the physical limit";
/// Scope::library of the gauge's own kernels, which measure the hardware and not a library.
inline constexpr std::string_view own_library = "gpugauge";
/// Values of Scope::size.
inline constexpr std::array<std::string_view, 3> sizes{"small", "large", "all"};
/// Values of Scope::direction.
inline constexpr std::array<std::string_view, 3> copy_directions{"h2d", "d2h", "both"};
/// Values of Scope::phase.
inline constexpr std::array<std::string_view, 13> phases{
    "startup",         "first_call", "warm",    "after_idle", "back_to_back", "after_profiler", "new_process",
    "already_running", "kernel",     "forward", "backward",   "prefill",      "decode"};
/// Values of the telemetry key throttle_reasons: NVML's reasons in our words, and none.
inline constexpr std::array<std::string_view, 9> throttle_reasons{
    "sw_power_cap",        "hw_slowdown", "hw_thermal", "hw_power_brake", "sw_thermal", "sync_boost",
    "applications_clocks", "idle",        "none"};
/// Values of Observation::moved.
inline constexpr std::array<std::string_view, 5> movements{"higher", "lower", "same", "differs",
                                                           "rises_slowly"};
/// Values of ErrorSeen::api.
inline constexpr std::array<std::string_view, 7> apis{"cuda", "driver", "nvml",     "cudnn",
                                                      "nccl", "loader", "framework"};
/// Values of Metric::judged.
inline constexpr std::array<std::string_view, 3> judgements{"slower", "unchanged", "faster"};
/// Values of Instruction::change.
inline constexpr std::array<std::string_view, 3> instruction_changes{"absent", "more", "less"};
/// Values of Probe::name.
inline constexpr std::array<std::string_view, 24> probe_names{"nvml_query",
                                                              "change_setting",
                                                              "change_version",
                                                              "pin_to_local_numa",
                                                              "repeat_warm",
                                                              "repeat_after_idle",
                                                              "repeat_later",
                                                              "repeat_in_fresh_process",
                                                              "reset_clocks",
                                                              "autotune",
                                                              "other_library",
                                                              "swap_gpu",
                                                              "swap_node",
                                                              "same_binary_old_driver",
                                                              "same_binary_old_library",
                                                              "outside_container",
                                                              "outside_cgroup",
                                                              "unset_environment",
                                                              "native_benchmark",
                                                              "stream_overlap",
                                                              "allocate_beyond_memory",
                                                              "aligned_shape",
                                                              "link_under_load",
                                                              "cpu_benchmark"};
/// Values of Probe::outcome.
inline constexpr std::array<std::string_view, 8> probe_outcomes{
    "recovers", "no_change", "worse", "normal", "slow", "fails", "no_overlap", "succeeds"};

/// Allowed value of a key of `telemetry` or `inventory`. any: text, number, switch, list of texts, or null.
enum class Kind { number, flag, text, list, any };

/// A key of the format.
struct Key {
  std::string_view name;     ///< with dots where the format has them
  Kind kind = Kind::any;     ///< another kind is refused, null never
  std::string_view meaning;  ///< a few words for the documentation
  /// true: null is the fact that there is none. For other keys null means the same as no entry: absent or
  /// unknown.
  bool absent_tells = false;
};

/// Keys of `telemetry`; `moved` is separate. Power in W, temperatures in degrees Celsius, clocks in MHz.
inline constexpr std::array telemetry_keys{
    Key{"sm_clock_mhz", Kind::number, "SM clock under load"},
    Key{"sm_clock_expected_mhz", Kind::number, "SM clock that a healthy device holds there"},
    Key{"memory_clock_mhz", Kind::number, "memory clock under load"},
    Key{"memory_clock_expected_mhz", Kind::number, "memory clock that a healthy device holds there"},
    Key{"application_clock_mhz", Kind::number, "application clock that is set"},
    Key{"application_clock_is_default", Kind::flag, "whether that is the default"},
    Key{"throttle_reasons", Kind::list, "reasons that the driver gave, by the words below"},
    Key{"power_w", Kind::number, "power drawn"},
    Key{"power_expected_w", Kind::number, "power that the same work draws on a healthy device"},
    Key{"power_limit_w", Kind::number, "limit in force"},
    Key{"power_limit_default_w", Kind::number, "limit that the board comes with"},
    Key{"temperature_c", Kind::number, "temperature of the GPU"},
    Key{"memory_temperature_c", Kind::number, "temperature of its memory"},
    Key{"utilization_percent", Kind::number, "utilisation of the GPU"},
    Key{"utilization_before_percent", Kind::number,
        "utilisation of the GPU before the work began, or between while none of it ran"},
    Key{"other_processes", Kind::number, "other processes on the GPU while it was measured"},
    Key{"memory_used_mib", Kind::number, "device memory in use"},
    Key{"pcie_generation", Kind::number, "generation of the link"},
    Key{"pcie_generation_max", Kind::number, "generation that both ends can"},
    Key{"pcie_generation_expected", Kind::number, "generation that it had when the other side was measured"},
    Key{"pcie_width", Kind::number, "lanes of the link"},
    Key{"pcie_width_max", Kind::number, "lanes that both ends can"},
    Key{"pcie_width_expected", Kind::number, "lanes that it had when the other side was measured"},
    Key{"pcie_sampled", Kind::text, "when the link was read: idle or load"},
    Key{"nvlinks_active", Kind::number, "NVLinks that are up"},
    Key{"nvlinks_expected", Kind::number, "NVLinks that this board has"},
    Key{"nvlinks_max", Kind::number, "NVLinks that the chip has, which a board need not wire"},
    Key{"drift", Kind::text, "worse_with_time, recovers_when_cool or none"},
    Key{"cpu_throttled_periods", Kind::number, "periods in which a control group held the processors back"},
    Key{"cpu_load_percent", Kind::number, "processor time that other work took, of all processors"},
    Key{"cpu_pressure_percent", Kind::number,
        "share of the time in which some thread waited for a processor"},
    Key{"cpu_steal_percent", Kind::number, "processor time that the hypervisor took, of one processor"},
    Key{"cpu_clock_mhz", Kind::number, "clock of the processors under load"},
    Key{"cpu_clock_expected_mhz", Kind::number, "clock that they hold on a healthy machine"},
    Key{"clock_reading_ns", Kind::number, "what reading the processor's clock took beside what was measured"},
    Key{"clock_reading_expected_ns", Kind::number, "what it took when the other side was measured"},
    Key{"memory_pressure_percent", Kind::number, "share of the time in which some thread waited for memory"},
    Key{"ran_on", Kind::text, "where the work was seen to run: cpu or gpu"},
    Key{"oversubscribed", Kind::flag, "managed memory in use exceeds the device's"},
    Key{"spilled_to_host", Kind::flag, "device allocations were seen to lie in host memory"},
    Key{"pstate", Kind::text, "performance state: P0, P2, P8"},
};

/// Keys of `inventory`.
inline constexpr std::array inventory_keys{
    Key{"driver.version", Kind::any, "version of the driver"},
    Key{"driver.libcuda_version", Kind::any, "version of the libcuda that is loaded"},
    Key{"driver.kernel_module_version", Kind::any,
        "version of the loaded kernel module; null: none is loaded", true},
    Key{"driver.libcuda_path", Kind::any, "where libcuda was found"},
    Key{"driver.open_module", Kind::any, "whether the kernel module is the open one"},
    Key{"driver.gsp", Kind::any, "GSP firmware: its version, or whether it is on"},
    Key{"driver.cuda_max", Kind::any, "newest CUDA that the driver runs"},
    Key{"driver.holder", Kind::any, "module that holds the GPU: nvidia, nouveau, vfio-pci"},
    Key{"cuda.runtime", Kind::any, "version of the CUDA runtime in use"},
    Key{"cuda.toolkit", Kind::any, "version of the CUDA toolkit that built the program, or is installed"},
    Key{"cuda.arch_list", Kind::any, "architectures in the binary: sm_80, 75-virtual"},
    Key{"cuda.ptx_version", Kind::any, "PTX version in the binary"},
    Key{"cuda.jit_cache", Kind::any, "empty, filled or read_only"},
    Key{"cublas.version", Kind::any, "version of cuBLAS"},
    Key{"cudnn.version", Kind::any, "version of cuDNN"},
    Key{"cudnn.copies", Kind::any, "copies of cuDNN in the process or within reach"},
    Key{"nccl.version", Kind::any, "version of NCCL"},
    Key{"nccl.copies", Kind::any, "copies of NCCL in the process or within reach"},
    Key{"nccl.plugin", Kind::any, "network plugin of NCCL; null: none", true},
    Key{"nccl.transport", Kind::any, "what NCCL uses: p2p, shm, socket, ib, net"},
    Key{"libraries.missing", Kind::any, "libraries that were needed and not found"},
    Key{"libraries.mixed", Kind::any, "libraries that are there in more than one version"},
    Key{"framework.name", Kind::any, "name of the framework"},
    Key{"framework.version", Kind::any, "its version"},
    Key{"framework.build", Kind::any, "cpu or cuda"},
    Key{"framework.cuda", Kind::any, "CUDA that it was built for; null: for none", true},
    Key{"framework.origin", Kind::any, "wheel, package or own_build"},
    Key{"framework.providers", Kind::any, "execution providers of its session, else those on offer"},
    Key{"gpu.mig", Kind::any, "whether MIG is on"},
    Key{"gpu.ecc", Kind::any, "whether ECC is on"},
    Key{"gpu.ecc_uncorrected", Kind::any,
        "uncorrected errors of the memory since the driver was loaded, or ever"},
    Key{"gpu.persistence", Kind::any, "whether persistence mode is on"},
    Key{"gpu.remapped_rows", Kind::any, "rows of memory that were remapped"},
    Key{"gpu.remap_pending", Kind::any, "whether a row waits for a reset"},
    Key{"gpu.remap_failed", Kind::any, "whether a row could not be remapped"},
    Key{"gpu.brand", Kind::any, "GeForce, Tesla, Quadro, ..."},
    Key{"gpu.l2_persisting_limit", Kind::any, "cudaLimitPersistingL2CacheSize, in bytes"},
    Key{"gpu.fabric_state", Kind::any, "state of the fabric as NVML says"},
    Key{"gpu.fabric_health", Kind::any, "how well it is, as NVML says: healthy, or what is wrong"},
    Key{"gpu.vgpu_license", Kind::any, "state of the vGPU licence"},
    Key{"gpu.confidential_computing", Kind::any, "whether confidential computing is on"},
    Key{"fabric_manager.version", Kind::any, "version of the fabric manager"},
    Key{"fabric_manager.state", Kind::any, "state of its service"},
    Key{"uvm.loaded", Kind::any, "whether nvidia_uvm is loaded"},
    Key{"peermem.module", Kind::any, "module for peer memory; null: none is loaded", true},
    Key{"kernel.version", Kind::any, "version of the Linux kernel"},
    Key{"kernel.kaslr", Kind::any, "whether the kernel's addresses are randomised"},
    Key{"host.os", Kind::any, "linux, windows, wsl2"},
    Key{"host.fabric", Kind::any, "efa, infiniband, roce, ethernet"},
    Key{"host.infiniband", Kind::any, "whether InfiniBand devices are there"},
    Key{"network.ports_active", Kind::any, "RDMA ports that are active"},
    Key{"network.ports_expected", Kind::any, "RDMA ports that ought to be, as on its siblings"},
    Key{"network.rate_gbps", Kind::any, "rate of the slowest active RDMA port in Gb/s"},
    Key{"network.rate_expected_gbps", Kind::any, "rate that such ports have"},
    Key{"network.pcie_generation", Kind::any, "generation of a network card's PCIe link"},
    Key{"network.pcie_generation_max", Kind::any, "generation that card and slot can"},
    Key{"network.pcie_width", Kind::any, "lanes of a network card's PCIe link"},
    Key{"network.pcie_width_max", Kind::any, "lanes that card and slot can"},
    Key{"host.virtualization", Kind::any, "kind of virtual machine, vgpu, confidential_computing"},
    Key{"host.container", Kind::any, "whether it runs in a container, or its kind"},
    Key{"host.iommu", Kind::any, "translated, passthrough, off"},
    Key{"host.acs", Kind::any, "whether bridges redirect (ACS), or their flags"},
    Key{"host.governor", Kind::any, "governor of the processors' clock"},
    Key{"host.cgroup_cpu_limit", Kind::any, "processors that the control group allows"},
    Key{"host.cpus", Kind::any, "processors of the machine"},
    Key{"host.cpus_allowed", Kind::any, "processors that the affinity mask allows"},
    Key{"host.numa_local", Kind::any, "whether process and GPU are on one NUMA node"},
    Key{"host.shm_mib", Kind::any, "size of /dev/shm in MiB"},
    Key{"host.memlock_kib", Kind::any, "limit of locked memory in KiB"},
    Key{"host.secure_boot", Kind::any, "whether Secure Boot is on"},
    Key{"topology.path", Kind::any, "nvlink, same_switch, host_bridge, cross_socket, chipset"},
    Key{"topology.nvswitch", Kind::any, "whether the GPUs hang on NVSwitches"},
};

}  // namespace gpugauge::diagnose
