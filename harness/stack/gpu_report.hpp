// Describes this machine and whether a GPU can be used here. Opens NVIDIA's libraries only at run time.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::stack {

/// Why no GPU can be used; the most basic reason first.
enum class GpuState {
  usable,
  no_hardware,  ///< no NVIDIA PCI device, no device node, no driver
  no_driver,    ///< hardware is on the PCI bus, but there is no kernel module or no device node
  no_library,   ///< the kernel driver is loaded but libcuda.so.1 cannot be opened, or is the toolkit's stub
  driver_too_old,  ///< libcuda supports less CUDA than this build needs
  no_device,       ///< the driver works but shows no device (CUDA_VISIBLE_DEVICES, cgroup, MIG)
  error,           ///< the driver answered with an error code, did not answer in time, or crashed
};
std::string_view to_string(GpuState state);  ///< the enumerator's name, as it stands in JSON: "no_driver"

/// A device as CUDA shows it: a GPU, or a MIG instance.
struct Gpu {
  int index = 0;                   ///< CUDA's index, after CUDA_VISIBLE_DEVICES
  std::string uuid;                ///< "GPU-...", or "MIG-..." for an instance
  std::string name;                ///< as CUDA reports it: "NVIDIA H100 80GB HBM3"; "" if it does not
  std::string pci_bus_id;          ///< "0000:01:00.0", lower case
  std::string compute_capability;  ///< "9.0"
  result::Facts
      settings;  ///< from NVML, as far as it answers: "persistence", "ecc", "mig", "power_limit_watt", ...
  /// What else NVML tells and a diagnosis asks for, by its names in docs/inventory.md: "brand", "fabric_state".
  /// No setting, and no part of a fingerprint.
  result::Facts told;
  std::string card =
      {};  ///< of a MIG instance: the UUID of the card that it is a part of, "GPU-..."; else ""

  bool operator==(const Gpu&) const = default;  ///< member by member
};

/// What was found on a machine, and whether a GPU can be used there.
struct GpuReport {
  GpuState state = GpuState::no_hardware;  ///< the most basic reason, unless usable
  std::vector<Gpu> gpus;                   ///< devices that CUDA shows; not empty if usable or driver_too_old
  std::string driver_version;              ///< kernel module or NVML, "" if unknown
  std::string driver_cuda_version;         ///< newest CUDA that libcuda supports, "13.0", "" if unknown
  std::string explanation;       ///< one paragraph: what is missing, the evidence, what to do; "" if usable
  bool nvidia_hardware = false;  ///< any NVIDIA PCI display or 3D controller, device node or kernel module
  int code = 0;                  ///< CUDA's error code behind the state; 0 if there is none
  std::string kernel_module_version;  ///< of the loaded nvidia module, "" if none is loaded
  std::string kernel_module_kind;     ///< "open", "proprietary", "" if unknown
  std::string libcuda_path;           ///< real path of the opened libcuda; "" if none
  std::string libcuda_version;        ///< from that path: "580.65.06"; "" if it does not tell

  bool operator==(const GpuReport&) const = default;  ///< member by member
};

/// Options of probe_gpus().
struct ProbeOptions {
  std::string root = "/";       ///< prefix of /proc, /sys and /dev, for tests
  double timeout_seconds = 20;  ///< > 0, for one GPU on the bus; more take longer (start_limit)
  std::vector<std::string>
      command;  ///< replaces this executable's `probe devices`; must print one to_json line
};
/// Checks from the bottom up: PCI, kernel module, device nodes, libraries, cuInit, versions. cuInit may hang
/// on a broken node. The driver is therefore asked in a child process (the hidden `probe` subcommand), for at
/// most start_limit() of `timeout_seconds`. Never throws because of the child: one that hangs, crashes or prints nonsense
/// yields GpuState::error with a sentence.
GpuReport probe_gpus(const ProbeOptions& options = {});

/// Does the same within this process (the child runs it). May hang or crash with the driver.
GpuReport probe_gpus_here(const std::string& root = "/");

/// True for any NVIDIA PCI display or 3D controller, device node or kernel module. Opens no library; takes
/// milliseconds.
bool any_nvidia_hardware(const std::string& root = "/");

/// The child's answer: a report as one line of JSON.
std::string to_json(const GpuReport& report);
/// Reads that line. Throws result::FormatError, naming the place.
GpuReport gpu_report_from_json(const std::string& text);

/// The node's fingerprint without the suite part: device, stack, settings, topology, as dotted facts.
/// Everything looked for has a fact; "absent" and "unreadable" are values. Variables that look like secrets
/// are recorded as set, without their value. `programs`: library ("cublas", "cudnn", "cufft", "nccl") -> the
/// executable that loads it. That executable's own search path is used, as the loader would.
result::Fingerprint fingerprint(const GpuReport& gpus, const std::string& root = "/",
                                const std::map<std::string, std::string>& programs = {});

/// One layer of the stack and its version, for the console. Reading order: GPU, driver, CUDA, libraries,
/// host.
struct Layer {
  std::string name;     ///< "GPU", "kernel driver", "CUDA toolkit", "Python", ...
  std::string version;  ///< "absent", "unreadable" or "unknown" if there is none
  std::string detail;   ///< where it was found, or what it means; may be empty
};

}  // namespace gpugauge::stack
