// Adds cuda.jit_cache to the inventory: whether the driver can keep what it compiles.
#include <filesystem>
#include <string>

#include <unistd.h>

#include "stack/inventory/machine.hpp"

namespace gpugauge::stack {
namespace {

namespace fs = std::filesystem;

/// The driver makes the folder, and those above it.
bool can_be_written(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return fs::is_directory(folder, ignored) && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

void collect_jit_cache(const Context& context, Inventory& inventory) {
  if (!context.tree.live()) return;
  const char* const key = "cuda.jit_cache";
  const std::string asked = value_of(context.environment, "CUDA_CACHE_PATH").value_or("");
  const std::string home = value_of(context.environment, "HOME").value_or("");
  if (asked.empty() && home.empty())
    return inventory.absent(key, "environment", "neither CUDA_CACHE_PATH nor HOME is set");
  const fs::path folder = asked.empty() ? fs::path(home) / ".nv/ComputeCache" : fs::path(asked);
  const char* const how = asked.empty() ? "in HOME" : "CUDA_CACHE_PATH";
  // A relative folder lies where a program happens to be started.
  if (folder.is_relative()) return inventory.absent(key, folder.string(), "relative to a working folder");
  inventory.present(key, can_be_written(folder) ? "writable" : "read_only", folder.string(), how);
}

}  // namespace gpugauge::stack
