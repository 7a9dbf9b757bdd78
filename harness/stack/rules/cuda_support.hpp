// Helpers shared by the rules for CUDA, its libraries and the frameworks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/plan/plan_fit.hpp"
#include "stack/rules/support.hpp"

namespace gpugauge::stack {

/// The driver as programs see it.
struct DriverView {
  /// Version of the libcuda that the loader picks, or of the driver if that is unknown.
  std::optional<Version> version;
  std::optional<Version> cuda_max;  ///< newest CUDA that it claims to support
  std::string label;                ///< "driver 535.104.05 (CUDA up to 12.2)"
};
/// A forward-compatibility libcuda in use counts as the driver. A libcuda of WSL or a stub has no version.
DriverView driver_of(const Inventory& inventory);

/// Programs of that CUDA on this driver: judged by what the driver claims to support, else by its version.
/// Same answers as fit_driver_cuda; unknown without a driver.
PairFit fit_driver_here(const RuleInput& input, const Version& cuda);

/// A toolkit of the inventory.
struct ToolkitView {
  std::string key;   ///< "toolkit.0"
  std::string path;  ///< toolkit.N.path: without symbolic links
  Version version;   ///< major.minor at least
};
/// The toolkit that the environment selects; nullopt if there is none, or its version is unknown.
std::optional<ToolkitView> selected_toolkit(const Inventory& inventory);

/// One compute capability on this machine, with its GPUs.
struct CapabilityView {
  Version version;  ///< 9.0
  GpuViews gpus;    ///< not empty, in the inventory's order
};
/// Each capability once, in the inventory's order. Leaves out GPUs without a complete compute capability.
std::vector<CapabilityView> capabilities_of(const Inventory& inventory);
/// "GPUs 0-7 (NVIDIA H100 80GB HBM3, compute capability 9.0)"
std::string capability_text(const CapabilityView& capability, std::size_t all);

/// A finding with the pair's reason, remedy and sources.
Finding pair_finding(Cause cause, Severity severity, const std::string& title, const PairFit& pair);

/// Adds the pair to the single note on versions that the tables do not know; each pair only once.
void note_unknown(Findings& findings, const PairFit& pair);

/// One copy of a library that was found.
struct CopyView {
  std::string name;                ///< "cudnn_ops"
  std::string key;                 ///< "library.cudnn_ops.0"
  std::string path;                ///< real
  std::string folder;              ///< folder of that path
  std::string text;                ///< version as found; "" unknown
  std::optional<Version> version;  ///< absent: unknown, or the text is no version
  std::string soname;              ///< the name programs ask for; "" unknown
  std::string origin;              ///< LibraryCopy::origin: "wheel", "toolkit", ...; "" unknown
  /// True if the loader finds it for a program without a search path of its own.
  bool reachable() const;
  /// True if it came with a framework, which finds it by itself.
  bool brought_by_framework() const;
  /// "cuDNN 9.10.2 (/usr/lib/..., standard folder)"
  std::string shown() const;
};
/// All copies of one library; the loader's pick comes first.
std::vector<CopyView> copies_of(const Inventory& inventory, const std::string& name);
/// The maker's spelling: "cuDNN", "cuBLASLt".
std::string library_title(const std::string& name);

}  // namespace gpugauge::stack
