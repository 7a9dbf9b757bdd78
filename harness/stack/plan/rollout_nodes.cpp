// Converts a run or a lock to an inventory.
#include <algorithm>
#include <array>

#include "stack/plan/rollout.hpp"

namespace gpugauge::stack {
namespace {

void add(Inventory& inventory, const std::string& key, const std::string& value, const char* source) {
  if (!value.empty() && value != "unknown" && value != "absent") inventory.present(key, value, source);
}

}  // namespace

Inventory inventory_of(const result::Fingerprint& fingerprint) {
  const char* const source = "run file";
  Inventory out;
  for (const auto& [name, value] : fingerprint.device) {
    const bool wanted =
        name.starts_with("gpu.") &&
        (name.ends_with(".name") || name.ends_with(".compute_capability") || name.ends_with(".uuid"));
    if (wanted) add(out, name, value, source);
  }
  for (const auto& [name, value] : fingerprint.stack) {
    constexpr std::array same{"driver.version",    "driver.kernel_module_version",
                              "driver.cuda_max",   "kernel.version",
                              "host.distribution", "host.libc"};
    if (std::find(same.begin(), same.end(), name) != same.end()) add(out, name, value, source);
    // "9.10.2" and "9.10.2 (build 0123...)" hold a version; "9 (build 0123...)" does not.
    const bool library = name == "cudnn.version" || name == "nccl.version";
    const std::string version = value.substr(0, value.find(' '));
    if (library && version.find('.') != std::string::npos)
      add(out, "library." + name.substr(0, name.find('.')) + ".0.version", version, source);
  }
  return out;
}

Inventory inventory_of(const Lock& lock) {
  const char* const source = "lock";
  Inventory out;
  for (const LockField& field : lock.fields) {
    if (field.key == "gpu.count") continue;
    if (field.key == "toolkit.selected.version") {
      out.present("toolkit.selected", source, source);
      out.present("toolkit.0.path", source, source);
      add(out, "toolkit.0.version", field.value, source);
      continue;
    }
    add(out, field.key, field.value, source);
  }
  return out;
}

}  // namespace gpugauge::stack
