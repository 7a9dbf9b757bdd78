// Between the files of the start-up rules: what all of them look at, and who explains what. Each returns the
// one root cause it can name, or nothing; check_start_up asks them from the ground up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/rules/support.hpp"
#include "stack/visible_devices.hpp"

namespace gpugauge::stack {

/// An NVIDIA GPU on the PCI bus that no driver library answered for.
struct PciFunction {
  std::string address;    ///< "0000:01:00.0"
  std::string device_id;  ///< "0x2330"
  std::string driver;     ///< kernel driver bound to it, "" if none
  std::string minor;      ///< of its device node; "" where the kernel module does not tell
  std::string node;       ///< "there", "missing", "refused"; "" likewise
  bool excluded = false;  ///< the kernel module leaves it alone, as it was told to
};
/// pci.* of the inventory, but what is known to be no GPU.
std::vector<PciFunction> unanswered_gpus(const Inventory& inventory);

/// The nvidia kernel module.
enum class ModuleState { loaded, missing, unknown };

/// Everything that the start-up rules need more than once.
struct StartUp {
  explicit StartUp(const RuleInput& rule_input);  ///< `rule_input` must outlive it

  const RuleInput& input;      ///< as given
  const Inventory& inventory;  ///< of `input`
  bool wsl = false;            ///< inside WSL, where the driver is Windows'
  std::string container;       ///< "" outside
  /// The nvidia module in the kernel; unknown where that may not be read or was not looked for.
  ModuleState module = ModuleState::unknown;
  std::vector<PciFunction> pci;  ///< GPUs on the bus that no driver answered for
  GpuViews gpus;                 ///< those that the driver answered for
  std::optional<int> cuda;       ///< cuda.init.code
  std::optional<int> nvml;       ///< nvml.init.code
  bool library = false;          ///< the loader finds a libcuda.so.1

  /// Something answered that only a living kernel driver can cause, whatever /proc and /sys show.
  bool alive() const;
  bool hardware() const;  ///< something of NVIDIA's is there, an NVSwitch too; never so in an image
  bool unseen() const;    ///< a place where hardware or its module shows itself may not be looked at
  /// The inventory is of a folder of files without a running kernel: a mounted image.
  bool image() const;
  /// "1 NVIDIA GPU (0000:01:00.0, device 0x2330)", "8 NVIDIA GPUs (0000:01:00.0 and 7 more)"
  std::string on_pci() const;
  /// "cuInit answers 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)"; "" unless it failed.
  std::string cuda_answer() const;
  /// Likewise of NVML's initialisation: "nvmlInit answers 18 (NVML_ERROR_LIB_RM_VERSION_MISMATCH)".
  std::string nvml_answer() const;
};

std::optional<Finding> explain_hardware(const StartUp& start);  ///< nothing there, or no module
std::optional<Finding> explain_nodes(const StartUp& start);     ///< a module, and no device nodes
/// The module is loaded and its libraries lie where only a container, or a program told of them, finds them;
/// `containers_only`: the latter is not asked for.
std::optional<Finding> explain_driver_elsewhere(const StartUp& start, bool containers_only);
std::optional<Finding> explain_library(const StartUp& start);   ///< libcuda missing, or the stub
std::optional<Finding> explain_child(const StartUp& start);     ///< hung, crashed, said nothing
std::optional<Finding> explain_versions(const StartUp& start);  ///< libraries and module differ
std::optional<Finding> explain_cuda(const StartUp& start);      ///< cuInit's error
std::optional<Finding> explain_nvml(const StartUp& start);      ///< NVML's error

/// Error 802, which has causes of its own; nullopt where none of them shows.
std::optional<Finding> explain_not_ready(const StartUp& start);
/// The kernel log says why the module does not drive a GPU; nullopt where it says nothing of it.
std::optional<Finding> explain_kernel_log(const StartUp& start);
/// What CUDA_VISIBLE_DEVICES names of these GPUs; nullopt where it is not set.
std::optional<VisibleDevices> visible_devices(const Inventory& inventory, const GpuViews& gpus);
/// No better cause: what the tables say about the code.
Finding explain_code(const StartUp& start, Cause cause, const std::string& api, int code);

}  // namespace gpugauge::stack
