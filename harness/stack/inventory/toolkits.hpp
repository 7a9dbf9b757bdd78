// The CUDA toolkits of a machine and the settings that lead to them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {

/// One CUDA toolkit. All paths are below the inspected root.
struct Toolkit {
  std::string path;                          ///< without symbolic links
  std::vector<std::string> names;            ///< other paths to it
  std::vector<std::string> library_folders;  ///< existing folders, without symbolic links, CUPTI's last
  std::vector<std::string> include_folders;  ///< existing folders, without symbolic links
};

/// Every toolkit, each once, those at the usual places first.
std::vector<Toolkit> find_toolkits(const Context& context);

/// True for a folder with nvcc, cuda.h, a version file or the CUDA runtime.
bool is_toolkit(const Tree& tree, const std::string& folder);

/// The toolkit to which a variable or search path leads.
struct ToolkitLead {
  std::string by;       ///< "CUDA_HOME", "PATH", "LD_LIBRARY_PATH", "ld.so.conf", "/usr/local/cuda", ...
  std::string said;     ///< the variable's value, or the nvcc or folder found; "" if not set
  std::string toolkit;  ///< real path, "" none
};
/// In the order of docs/inventory.md.
std::vector<ToolkitLead> toolkit_leads(const Context& context);

/// Folders in /etc/ld.so.conf and its includes, in order.
std::vector<std::string> configured_loader_folders(const Tree& tree);

/// Folders with a forward-compatibility libcuda.so.1, without symbolic links.
std::vector<std::string> forward_compat_folders(const Context& context, const std::vector<Toolkit>& toolkits);

/// Adds host_compiler.gcc and host_compiler.clang.
void collect_host_compilers(const Context& context, Inventory& inventory);

}  // namespace gpugauge::stack
