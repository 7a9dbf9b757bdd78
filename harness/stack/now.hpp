// What the kernel and the files tell of the machine in milliseconds, without starting a GPU or opening one of
// NVIDIA's libraries: enough to know whether what was found earlier still speaks for it.
#pragma once

#include <string>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::stack {

/// A GPU as the kernel shows it.
struct KernelGpu {
  std::string address;  ///< "0000:01:00.0"
  std::string uuid;     ///< "GPU-..."; "" until somebody has used the GPU, and without a driver
  std::string name;     ///< "" likewise

  bool operator==(const KernelGpu&) const = default;  ///< member by member
};

/// What machine_now() sees.
struct MachineNow {
  bool nvidia = false;          ///< hardware, driver or device node of NVIDIA
  bool gpus_listed = false;     ///< the kernel lists them one by one; it does not under WSL
  std::vector<KernelGpu> gpus;  ///< by address; from the PCI bus where no driver is loaded
  std::string driver_version;   ///< of the loaded kernel module, "" if none is
  std::string container;        ///< "docker", ..., "" outside of one
};

/// `root`: prefix of /proc, /sys and /dev. Never throws for what is missing.
MachineNow machine_now(const std::string& root = "/");

/// Whether the kernel shows a device at this PCI address ("0000:01:00.0"), whatever drives it. True where it
/// shows no PCI bus, or `address` is none: then nobody can miss it.
bool on_pci_bus(const std::string& address, const std::string& root = "/");

/// A file of the stack that says something else than it did.
struct FileChange {
  std::string name;  ///< "libcuda", "cublas", "cudnn", "cufft", "nccl"
  std::string then;  ///< version
  std::string now;   ///< version; "gone" where the file is
};

/// The libraries that `stack` (a fingerprint's, with their paths) names, as they lie there now. What was
/// absent then is not looked for: its presence takes nothing from what was measured.
std::vector<FileChange> changed_files(const result::Facts& stack, const std::string& root = "/");

}  // namespace gpugauge::stack
