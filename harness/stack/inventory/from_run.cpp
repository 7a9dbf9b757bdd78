#include "stack/inventory/from_run.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "result/number.hpp"
#include "stack/inventory/lines.hpp"

namespace gpugauge::stack {
namespace {

constexpr const char* from_key = "collected.from";
constexpr const char* how_known = "fingerprint";

class Translation {
 public:
  Translation(Inventory& inventory, std::string source) : inventory_(inventory), source_(std::move(source)) {}

  /// "absent" and "unreadable" are values in a fingerprint but answers in an inventory; "unknown" gives no
  /// item.
  void add(const std::string& key, const std::string& value) {
    if (value == "absent")
      inventory_.absent(key, source_, how_known);
    else if (value == "unreadable")
      inventory_.unreadable(key, source_, "root", how_known);
    else if (!value.empty() && value != "unknown")
      inventory_.present(key, value, source_, how_known);
  }

  void gpu(const std::string& key, const std::string& fact, const std::string& value) {
    constexpr std::array modes{"default", "exclusive_thread", "prohibited", "exclusive_process"};
    if (fact == "compute_mode") {
      const auto mode = result::number_in<std::size_t>(value);
      if (mode && *mode < modes.size()) add(key, modes[*mode]);
      return;
    }
    // "on (off after reset)"
    const auto open = value.find(" (");
    if ((fact == "ecc" || fact == "mig") && open != std::string::npos) {
      add(key, value.substr(0, open));
      const std::string rest = value.substr(open + 2);
      add(key + "_pending", rest.substr(0, rest.find(' ')));
      return;
    }
    add(key, value);
  }

  void library(const std::string& name, const std::string& fact, const std::string& value) {
    const std::string prefix = "library." + name;
    if (fact == "path") return add(prefix + ".picked", value);
    // A soname's number with a build id distinguishes builds but is no version.
    if (value.find('.') != std::string::npos && value.find('(') == std::string::npos)
      add(prefix + ".0.version", value);
    if (value == "absent") inventory_.absent(prefix + ".0.version", source_, how_known);
  }

 private:
  Inventory& inventory_;
  std::string source_;
};

void translate(Translation& to, const std::string& name, const std::string& value) {
  constexpr std::array same{"driver.version",
                            "driver.kernel_module_version",
                            "driver.libcuda_path",
                            "driver.libcuda_version",
                            "driver.cuda_max",
                            "kernel.version",
                            "host.os",
                            "host.distribution",
                            "host.libc",
                            "host.cpu_model",
                            "host.cpus",
                            "host.memory_gib",
                            "host.governor",
                            "host.cgroup_cpu_limit",
                            "host.cpus_allowed",
                            "host.virtualization",
                            "host.numa_nodes"};
  constexpr std::array of_a_gpu{"name",
                                "uuid",
                                "compute_capability",
                                "pci",
                                "numa_node",
                                "persistence",
                                "power_limit_watt",
                                "power_limit_default_watt",
                                "vbios",
                                "compute_mode",
                                "ecc",
                                "mig"};
  if (std::find(same.begin(), same.end(), name) != same.end()) return to.add(name, value);
  if (name == "host.container") return to.add("container.kind", value);
  if (name == "driver.open_module" && (value == "yes" || value == "no"))
    return to.add("driver.kernel_module_kind", value == "yes" ? "open" : "proprietary");
  if (name.starts_with("env.")) return to.add(name, value);
  const auto dot = name.find('.');
  if (dot == std::string::npos) return;
  const std::string first = name.substr(0, dot);
  const std::string rest = name.substr(dot + 1);
  if (first == "cublas" || first == "cudnn" || first == "cufft" || first == "nccl")
    return to.library(first, rest, value);
  const auto second = rest.find('.');
  if (first != "gpu" || second == std::string::npos || !result::number_in<unsigned>(rest.substr(0, second)))
    return;
  const std::string fact = rest.substr(second + 1);
  if (fact == "confidential_computing") return to.add("driver.confidential_computing", value);
  if (fact == "vgpu_licence") return to.add("vgpu.licence", value);
  if (std::find(of_a_gpu.begin(), of_a_gpu.end(), fact) != of_a_gpu.end()) to.gpu(name, fact, value);
}

}  // namespace

Inventory inventory_of_run(const result::Run& run, const std::string& source) {
  Inventory inventory;
  Translation to(inventory, source);
  const result::Fingerprint& node = run.fingerprint;
  for (const result::Facts* facts : {&node.device, &node.stack, &node.settings, &node.topology}) {
    for (const auto& [name, value] : *facts) translate(to, name, value);
  }
  inventory.present(from_key, "run file", source);
  inventory.present("collected.at", run.started, source);
  return inventory;
}

bool is_of_run(const Inventory& inventory) {
  return inventory.has(from_key);
}

}  // namespace gpugauge::stack
