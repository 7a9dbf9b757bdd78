// What this machine is and whether a GPU can be used here. Opens NVIDIA's libraries at run time only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::stack {

/// Why no GPU can be used, most basic reason first.
enum class GpuState {
  usable,
  no_hardware,      ///< no NVIDIA PCI device, no device node, no driver: there is nothing here
  no_driver,        ///< hardware is there (PCI) but no kernel module or no device node
  no_library,       ///< the kernel driver is loaded but libcuda.so.1 cannot be opened
  driver_too_old,   ///< libcuda supports less CUDA than this build needs
  no_device,        ///< the driver works and shows no device (CUDA_VISIBLE_DEVICES, cgroup, MIG)
  error,            ///< the driver answered with an error code
};

struct Gpu {
  int index = 0;
  std::string uuid;  ///< "GPU-..."
  std::string name;
  std::string pci_bus_id;
  std::string compute_capability;  ///< "9.0"
};

struct GpuReport {
  GpuState state = GpuState::no_hardware;
  std::vector<Gpu> gpus;
  std::string driver_version;       ///< kernel module or NVML, "" if unknown
  std::string driver_cuda_version;  ///< newest CUDA that libcuda supports, "13.0", "" if unknown
  std::string explanation;          ///< one paragraph: what is missing, the evidence, what to do; "" when usable
  bool nvidia_hardware = false;     ///< any NVIDIA PCI display or 3D controller, device node or kernel module
};

/// Looks from below upwards: PCI, kernel module, device nodes, libraries, cuInit, versions. cuInit may hang on a broken
/// node: this is done in a child process (the hidden `probe` subcommand) and limited to `timeout_seconds`.
struct ProbeOptions {
  std::string root = "/";  ///< prefix of /proc, /sys and /dev, for tests
  double timeout_seconds = 20;
};
GpuReport probe_gpus(const ProbeOptions& options = {});

/// The same within this process (what the child runs). May hang or crash with the driver.
GpuReport probe_gpus_here(const std::string& root = "/");

/// JSON of a report and back: how the child answers.
std::string to_json(const GpuReport& report);
GpuReport gpu_report_from_json(const std::string& text);

/// The node's fingerprint without the suite part: device, stack, settings, topology, as dotted facts.
result::Fingerprint fingerprint(const GpuReport& gpus, const std::string& root = "/");

/// Layers of the stack in reading order (GPU, driver, CUDA, libraries, host) with their versions, for the console.
struct Layer {
  std::string name;
  std::string version;
  std::string detail;
};
std::vector<Layer> layers(const result::Fingerprint& fingerprint, const GpuReport& gpus);

}  // namespace gpugauge::stack
