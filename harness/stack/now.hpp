// Reads the machine's state from kernel and files within milliseconds. Starts no GPU and opens none of
// NVIDIA's libraries. Enough to tell whether an earlier result still applies.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::stack {

/// A GPU as the kernel shows it.
struct KernelGpu {
  std::string address;  ///< "0000:01:00.0"
  std::string uuid;     ///< "GPU-..."; "" until somebody has used the GPU, and without a driver
  std::string name;     ///< "" in the same cases
  /// MIG instances that the card is split into now; nullopt where the kernel does not tell, as in a container.
  std::optional<std::size_t> instances = {};

  bool operator==(const KernelGpu&) const = default;  ///< member by member
};

/// The result of machine_now().
struct MachineNow {
  bool nvidia = false;          ///< hardware, driver or device node of NVIDIA
  bool gpus_listed = false;     ///< the kernel lists each GPU; it does not under WSL
  std::vector<KernelGpu> gpus;  ///< by address; from the PCI bus if no driver is loaded
  std::string driver_version;   ///< of the loaded kernel module; "" if none is
  std::string container;        ///< "docker", ...; "" outside of one
};

/// `root`: prefix of /proc, /sys and /dev. Never throws for missing files.
MachineNow machine_now(const std::string& root = "/");

/// True if the kernel shows a device at this PCI address ("0000:01:00.0"), with any driver. Also true if it
/// shows no PCI bus or `address` is invalid: then nothing can be missed.
bool on_pci_bus(const std::string& address, const std::string& root = "/");

/// A file of the stack whose version changed.
struct FileChange {
  std::string name;  ///< "libcuda", "cublas", "cudnn", "cufft", "nccl"
  std::string then;  ///< version
  std::string now;   ///< version; "gone" if the file is
};

/// Compares the libraries that `stack` names (a fingerprint's, with their paths) with the files now. Ignores
/// libraries that were absent then: a new one does not affect the old measurement.
std::vector<FileChange> changed_files(const result::Facts& stack, const std::string& root = "/");

}  // namespace gpugauge::stack
