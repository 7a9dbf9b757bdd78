// What the rules for CUDA, its libraries and the frameworks look at again and again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/plan/plan_fit.hpp"
#include "stack/rules/support.hpp"

namespace gpugauge::stack {

/// The driver as programs meet it.
struct DriverView {
  std::optional<Version> version;   ///< of the libcuda that is picked; of the driver where that is not known
  std::optional<Version> cuda_max;  ///< newest CUDA that it says it supports
  std::string label;                ///< "driver 535.104.05 (CUDA up to 12.2)"
};
/// A forward-compatibility libcuda counts as the driver where it is in use; that of WSL or a stub has no
/// version.
DriverView driver_of(const Inventory& inventory);

/// Programs of that CUDA on this driver: by what the driver itself says it supports, else by its version. The
/// same answers as fit_driver_cuda; unknown without a driver.
PairFit fit_driver_here(const RuleInput& input, const Version& cuda);

/// A toolkit of the inventory.
struct ToolkitView {
  std::string key;   ///< "toolkit.0"
  std::string path;  ///< toolkit.N.path: without symbolic links
  Version version;   ///< major.minor at least
};
/// The one that the environment selects; nullopt where there is none, or its version is unknown.
std::optional<ToolkitView> selected_toolkit(const Inventory& inventory);

/// Each compute capability of the GPUs here once, with the GPUs that have it.
struct CapabilityView {
  Version version;  ///< 9.0
  GpuViews gpus;    ///< not empty, in the inventory's order
};
/// In the inventory's order; GPUs without a whole compute capability are left out.
std::vector<CapabilityView> capabilities_of(const Inventory& inventory);
/// "GPUs 0-7 (NVIDIA H100 80GB HBM3, compute capability 9.0)"
std::string capability_text(const CapabilityView& capability, std::size_t all);

/// A finding that says what the pair says: reason, remedy, sources.
Finding pair_finding(Cause cause, Severity severity, const std::string& title, const PairFit& pair);

/// Adds the pair to the one note of versions that the tables do not know; the same pair only once.
void note_unknown(Findings& findings, const PairFit& pair);

/// One copy of a library that can be found.
struct CopyView {
  std::string name;                ///< "cudnn_ops"
  std::string key;                 ///< "library.cudnn_ops.0"
  std::string path;                ///< real
  std::string folder;              ///< of that path
  std::string text;                ///< version as it was found; "" unknown
  std::optional<Version> version;  ///< absent: unknown, or what was found is no version
  std::string soname;              ///< the name that programs ask for; "" unknown
  std::string origin;              ///< LibraryCopy::origin: "wheel", "toolkit", ...; "" unknown
  /// Where the loader looks for a program without a search path of its own.
  bool reachable() const;
  /// It came with a framework, which finds it by itself.
  bool brought_by_framework() const;
  /// "cuDNN 9.10.2 (/usr/lib/..., standard folder)"
  std::string shown() const;
};
/// All copies of one library, the one that the loader would pick first.
std::vector<CopyView> copies_of(const Inventory& inventory, const std::string& name);
/// "cuDNN", "cuBLASLt": the name as its maker writes it.
std::string library_title(const std::string& name);

}  // namespace gpugauge::stack
