// Shared by the files of the start-up rules: their common input, and the explanations. Each explanation
// returns the one root cause it can name, or nothing. check_start_up calls them from the ground up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/rules/support.hpp"
#include "stack/visible_devices.hpp"

namespace gpugauge::stack {

/// An NVIDIA GPU on the PCI bus for which no driver library answered.
struct PciFunction {
  std::string address;    ///< "0000:01:00.0"
  std::string device_id;  ///< "0x2330"
  std::string driver;     ///< kernel driver bound to it; "" if none
  std::string minor;      ///< of its device node; "" if the kernel module does not tell
  std::string node;       ///< "there", "missing", "refused"; "" if the kernel module does not tell
  bool excluded = false;  ///< the kernel module ignores it, as configured
};
/// pci.* of the inventory, except known non-GPUs.
std::vector<PciFunction> unanswered_gpus(const Inventory& inventory);

/// State of the nvidia kernel module.
enum class ModuleState { loaded, missing, unknown };

/// Facts that the start-up rules need more than once.
struct StartUp {
  explicit StartUp(const RuleInput& rule_input);  ///< `rule_input` must outlive it

  const RuleInput& input;      ///< as given
  const Inventory& inventory;  ///< of `input`
  bool wsl = false;            ///< inside WSL, where the driver belongs to Windows
  std::string container;       ///< "" outside of a container
  /// The nvidia module in the kernel; unknown if that may not be read or nobody looked.
  ModuleState module = ModuleState::unknown;
  std::vector<PciFunction> pci;  ///< GPUs on the bus for which no driver answered
  GpuViews gpus;                 ///< GPUs for which the driver answered
  std::optional<int> cuda;       ///< cuda.init.code
  std::optional<int> nvml;       ///< nvml.init.code
  bool library = false;          ///< the loader finds a libcuda.so.1

  /// True if something answered that needs a working kernel driver, whatever /proc and /sys show.
  bool alive() const;
  bool hardware() const;  ///< NVIDIA hardware is present, NVSwitches included; always false in an image
  bool unseen() const;    ///< a place that would show hardware or its module may not be read
  /// True if the inventory is of files without a running kernel: a mounted image.
  bool image() const;
  /// "1 NVIDIA GPU (0000:01:00.0, device 0x2330)", "8 NVIDIA GPUs (0000:01:00.0 and 7 more)"
  std::string on_pci() const;
  /// "cuInit answers 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)"; "" unless it failed.
  std::string cuda_answer() const;
  /// The same for NVML's initialisation: "nvmlInit answers 18 (NVML_ERROR_LIB_RM_VERSION_MISMATCH)".
  std::string nvml_answer() const;
};

std::optional<Finding> explain_hardware(const StartUp& start);  ///< no hardware, or no module
std::optional<Finding> explain_nodes(const StartUp& start);     ///< a module without device nodes
/// The module is loaded, but its libraries lie where only a container, or a program that was told, finds
/// them. `containers_only`: considers only the container case.
std::optional<Finding> explain_driver_elsewhere(const StartUp& start, bool containers_only);
std::optional<Finding> explain_library(const StartUp& start);   ///< libcuda is missing or the stub
std::optional<Finding> explain_child(const StartUp& start);     ///< the child hung, crashed or said nothing
std::optional<Finding> explain_versions(const StartUp& start);  ///< libraries and module differ in version
std::optional<Finding> explain_cuda(const StartUp& start);      ///< cuInit's error
std::optional<Finding> explain_nvml(const StartUp& start);      ///< NVML's error

/// Error 802, which has causes of its own; nullopt if none of them shows.
std::optional<Finding> explain_not_ready(const StartUp& start);
/// The kernel log's reason why the module does not drive a GPU; nullopt if it gives none.
std::optional<Finding> explain_kernel_log(const StartUp& start);
/// The devices that CUDA_VISIBLE_DEVICES names among these GPUs; nullopt if it is not set.
std::optional<VisibleDevices> visible_devices(const Inventory& inventory, const GpuViews& gpus);
/// The tables' explanation of the code; for use if no better cause is known.
Finding explain_code(const StartUp& start, Cause cause, const std::string& api, int code);

}  // namespace gpugauge::stack
