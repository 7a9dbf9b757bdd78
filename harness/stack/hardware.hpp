// NVIDIA hardware and kernel driver as the kernel shows them, without NVIDIA's libraries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/tree.hpp"

namespace gpugauge::stack {

/// An NVIDIA display or 3D controller on the PCI bus.
struct PciGpu {
  std::string address;    ///< "0000:01:00.0"
  std::string device_id;  ///< "0x2330"
  std::string driver;     ///< kernel driver bound to it: "nvidia", "nouveau", "vfio-pci", "" if none
};

/// NVIDIA hardware and driver as the kernel shows them.
struct Hardware {
  bool pci_listed = false;         ///< /sys/bus/pci/devices could be listed
  std::vector<PciGpu> pci;         ///< by address; also empty if the bus could not be listed
  bool nvswitch = false;           ///< an NVSwitch bridge or its device node is there
  bool module_loaded = false;      ///< module nvidia, by /proc/driver/nvidia/version or /sys/module/nvidia
  std::string module_version;      ///< "580.65.06", "" if unknown
  std::string module_kind;         ///< "open", "proprietary", "" if unknown
  bool uvm_loaded = false;         ///< module nvidia_uvm
  std::vector<std::string> nodes;  ///< "/dev/nvidia0", ...: one per GPU
  bool control_node = false;       ///< /dev/nvidiactl
  bool uvm_node = false;           ///< /dev/nvidia-uvm
  bool wsl = false;                ///< Windows' /dev/dxg is there, with an NVIDIA library beside it
  std::string kernel;              ///< running kernel's release
  bool module_files_readable = false;            ///< the running kernel's module list could be read
  bool module_for_running_kernel = false;        ///< an nvidia module exists in that list
  std::vector<std::string> kernels_with_module;  ///< other installed kernels that have a module

  bool any() const;  ///< a GPU, its module, a device node or WSL's stand-in; an NVSwitch alone does not count
};

/// True for a kernel driver that only keeps a device for virtual machines: vfio-pci, pci-stub, Xen's pciback.
bool is_reserving_driver(std::string_view driver);

/// Takes milliseconds. Searches module files only if a GPU is on the bus and no module is loaded.
Hardware find_hardware(const Tree& tree);

/// True if the function below /sys/bus/pci/devices belongs to a GPU that is listed itself (SR-IOV, on a host
/// of virtual GPUs).
bool is_virtual_function(const Tree& tree, const std::string& folder);

/// The nvidia module's file in the text of a modules.dep: "updates/dkms/nvidia.ko.zst"; "" if it lists none.
/// Ignores other makers' modules with "nvidia" in their names.
std::string nvidia_module_file(std::string_view modules_dep);

/// The first run of digits and dots that contains a dot and is not part of a word: "NVRM version: ... Kernel
/// Module 580.65.06  Sat" -> "580.65.06"; "" if there is none.
std::string first_version(std::string_view text);

/// "docker", "podman", "kubernetes", "containerd", "enroot", "apptainer", "lxc", another word that the engine
/// gives itself, or "" outside of one.
std::string container_kind(const Tree& tree, bool kubernetes_variable);

}  // namespace gpugauge::stack
