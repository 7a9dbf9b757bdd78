// The CUDA toolkits of a machine and the ways that lead to them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {

/// One CUDA toolkit. All paths are below the inspected root.
struct Toolkit {
  std::string path;                          ///< without symbolic links
  std::vector<std::string> names;            ///< other paths that lead to it
  std::vector<std::string> library_folders;  ///< those that exist, without symbolic links, CUPTI's last
  std::vector<std::string> include_folders;  ///< those that exist, without symbolic links
};

/// Every toolkit found, each once, those at the usual places first.
std::vector<Toolkit> find_toolkits(const Context& context);

/// A folder that holds nvcc, cuda.h, a version file or the CUDA runtime.
bool is_toolkit(const Tree& tree, const std::string& folder);

/// Where a variable or a search path leads: the toolkit's real path, "" where it leads to none.
struct ToolkitLead {
  std::string by;       ///< "CUDA_HOME", "PATH", "LD_LIBRARY_PATH", "ld.so.conf", "/usr/local/cuda", ...
  std::string said;     ///< what it says: the variable's value, the nvcc or the folder found; "" not set
  std::string toolkit;  ///< real path, "" none
};
/// In the order of docs/inventory.md.
std::vector<ToolkitLead> toolkit_leads(const Context& context);

/// Folders of /etc/ld.so.conf, its includes followed, in order.
std::vector<std::string> configured_loader_folders(const Tree& tree);

/// Folders that hold a forward-compatibility libcuda.so.1, without symbolic links.
std::vector<std::string> forward_compat_folders(const Context& context, const std::vector<Toolkit>& toolkits);

/// host_compiler.gcc, host_compiler.clang
void collect_host_compilers(const Context& context, Inventory& inventory);

}  // namespace gpugauge::stack
