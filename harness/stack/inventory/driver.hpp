// Parts of collect_driver, one subject per file, and helpers for other collectors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/hardware.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/inventory/packages.hpp"

namespace gpugauge::stack {

/// Input shared by the parts.
struct DriverFiles {
  const Tree& tree;                 ///< of the context
  const Hardware& hardware;         ///< find_hardware() of it
  const PackageDatabase& packages;  ///< read_packages() of it
  bool in_container = false;        ///< then the driver may be the host's, mounted in
};

/// driver.libcuda*, driver.libnvml* and driver.version.
void collect_driver_libraries(const Context& context, const DriverFiles& files, Inventory& inventory);
/// The loaded module, its options, the kernels that have one, and what prevents it from loading.
void collect_kernel_module(const DriverFiles& files, Inventory& inventory);
/// GSP firmware, persistence daemon, fabric manager, vGPU.
void collect_driver_services(const DriverFiles& files, Inventory& inventory);

/// A driver's version in a library's file name: "libcuda.so.580.65.06" -> "580.65.06"; "" if there is none
/// ("libcuda.so.1.1" of other systems).
std::string driver_version_in(const std::string& path);

/// True for a driver library that was installed for containers only, unknown to the host's loader: by
/// NVIDIA's GPU Operator or Google's driver installer.
bool is_for_containers(std::string_view path);

/// The origin of a libcuda by its real path: "driver", "compat", "stub" or "wsl". `megabytes`: file size, 0
/// if unknown. In WSL (`wsl`) the real one is as small as a stub, and a container has it in its own folders.
std::string libcuda_kind(const std::string& path, double megabytes, bool wsl);

/// The kernel module's data on one GPU from `/proc/driver/nvidia/gpus/<address>/information`.
struct ModuleGpu {
  std::string address;     ///< "0000:01:00.0"
  std::string name;        ///< "NVIDIA H100 80GB HBM3"; "" if not told
  std::string uuid;        ///< "" if not told ("GPU-????????-...")
  std::string vbios;       ///< "" if not told
  std::string firmware;    ///< "580.65.06"; "off" if it uses none; "" if not told
  std::string minor = {};  ///< number of its device node, "0"; "" if not told
};
/// Parses the file's text; ignores unknown lines.
ModuleGpu parse_module_gpu(const std::string& address, std::string_view information);
/// Sorted by address.
std::vector<ModuleGpu> gpus_of_module(const Tree& tree);

/// True if a model name ends in a virtual GPU's profile: "NVIDIA A40-48Q".
bool is_virtual_gpu(std::string_view model);

/// Names of the running processes in /proc, cut at 15 characters; nullopt if /proc shows none.
std::optional<std::vector<std::string>> running_processes(const Tree& tree);

}  // namespace gpugauge::stack
