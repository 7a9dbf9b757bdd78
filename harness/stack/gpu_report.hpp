// What this machine is and whether a GPU can be used here. Opens NVIDIA's libraries at run time only.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::stack {

/// Why no GPU can be used, most basic reason first.
enum class GpuState {
  usable,
  no_hardware,  ///< no NVIDIA PCI device, no device node, no driver: there is nothing here
  no_driver,    ///< hardware is there (PCI) but no kernel module or no device node
  no_library,   ///< the kernel driver is loaded but libcuda.so.1 cannot be opened, or is the toolkit's stub
  driver_too_old,  ///< libcuda supports less CUDA than this build needs
  no_device,       ///< the driver works and shows no device (CUDA_VISIBLE_DEVICES, cgroup, MIG)
  error,           ///< the driver answered with an error code, did not answer in time, or crashed
};
std::string_view to_string(GpuState state);  ///< the enumerator's name, as it stands in JSON: "no_driver"

/// A device as CUDA shows it: a GPU, or an instance of MIG.
struct Gpu {
  int index = 0;                   ///< CUDA's, so after CUDA_VISIBLE_DEVICES
  std::string uuid;                ///< "GPU-...", or "MIG-..." for an instance
  std::string name;                ///< as CUDA tells it: "NVIDIA H100 80GB HBM3"; "" where it does not
  std::string pci_bus_id;          ///< "0000:01:00.0", lower case
  std::string compute_capability;  ///< "9.0"
  result::Facts
      settings;  ///< from NVML, as far as it answers: "persistence", "ecc", "mig", "power_limit_watt", ...

  bool operator==(const Gpu&) const = default;  ///< member by member
};

/// What was found on a machine, and whether a GPU can be used there.
struct GpuReport {
  GpuState state = GpuState::no_hardware;  ///< the most basic reason, unless usable
  std::vector<Gpu> gpus;                   ///< what CUDA shows; not empty when usable or driver_too_old
  std::string driver_version;              ///< kernel module or NVML, "" if unknown
  std::string driver_cuda_version;         ///< newest CUDA that libcuda supports, "13.0", "" if unknown
  std::string explanation;       ///< one paragraph: what is missing, the evidence, what to do; "" when usable
  bool nvidia_hardware = false;  ///< any NVIDIA PCI display or 3D controller, device node or kernel module
  int code = 0;                  ///< CUDA's error code behind the state, 0 if there is none
  std::string kernel_module_version;  ///< of the loaded nvidia module, "" if none is loaded
  std::string kernel_module_kind;     ///< "open", "proprietary", "" if unknown
  std::string libcuda_path;           ///< real path of the libcuda that was opened, "" if none
  std::string libcuda_version;        ///< from that path: "580.65.06", "" if it does not tell

  bool operator==(const GpuReport&) const = default;  ///< member by member
};

/// Looks from below upwards: PCI, kernel module, device nodes, libraries, cuInit, versions. cuInit may hang
/// on a broken node: this is done in a child process (the hidden `probe` subcommand) and limited to
/// `timeout_seconds`. Never throws for what the child does: a child that hangs, crashes or answers nonsense
/// is GpuState::error with its sentence.
struct ProbeOptions {
  std::string root = "/";       ///< prefix of /proc, /sys and /dev, for tests
  double timeout_seconds = 20;  ///< > 0
  std::vector<std::string>
      command;  ///< instead of this executable's `probe devices`; must print one to_json line
};
/// As said above ProbeOptions.
GpuReport probe_gpus(const ProbeOptions& options = {});

/// The same within this process (what the child runs). May hang or crash with the driver.
GpuReport probe_gpus_here(const std::string& root = "/");

/// Any NVIDIA PCI display or 3D controller, device node or kernel module. Opens no library; takes
/// milliseconds.
bool any_nvidia_hardware(const std::string& root = "/");

/// JSON of a report, one line, and back: how the child answers. Reading throws result::FormatError, naming
/// the place.
std::string to_json(const GpuReport& report);
/// The other way; throws as said above.
GpuReport gpu_report_from_json(const std::string& text);

/// The node's fingerprint without the suite part: device, stack, settings, topology, as dotted facts. What
/// was looked for is always there: "absent" and "unreadable" are values of their own. Variables that look
/// like secrets are recorded as set, without their value. `programs`: the executable that loads cuBLAS
/// ("cublas"), cuDNN, cuFFT or NCCL; where its own search path is looked at, as the loader would.
result::Fingerprint fingerprint(const GpuReport& gpus, const std::string& root = "/",
                                const std::map<std::string, std::string>& programs = {});

/// Layers of the stack in reading order (GPU, driver, CUDA, libraries, host) with their versions, for the
/// console.
struct Layer {
  std::string name;     ///< "GPU", "kernel driver", "CUDA toolkit", "Python", ...
  std::string version;  ///< "absent", "unreadable" or "unknown" where there is none
  std::string detail;   ///< where it was found, or what it means; may be empty
};

}  // namespace gpugauge::stack
