#include "conductor/stack_facts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "result/number.hpp"
#include "stack/inventory/rdma_ports.hpp"

namespace gpugauge::conductor {
namespace {

using diagnose::Value;

/// Translates facts one by one; the first answer to a key stays.
class Facts {
 public:
  Facts(const stack::Inventory& node, diagnose::Observation& out) : node_(node), out_(out) {}

  bool tells(const std::string& from) const { return node_.has(from) && node_.value(from) != "unknown"; }
  std::string value(const std::string& from) const { return node_.value(from); }
  bool is_absent(const std::string& from) const {
    const stack::Item* const item = node_.find(from);
    return item != nullptr && item->presence == stack::Presence::absent;
  }
  void set(const std::string& key, Value value) { out_.inventory.emplace(key, std::move(value)); }
  /// The text as it is.
  void copy(const std::string& key, const std::string& from) {
    if (tells(from)) set(key, value(from));
  }
  void number(const std::string& key, const std::string& from) {
    if (const auto found = result::number_in<double>(value(from))) set(key, *found);
  }
  /// A switch: on by one of these words, off by any other.
  void flag(const std::string& key, const std::string& from, const std::set<std::string_view>& on) {
    if (tells(from)) set(key, on.contains(value(from)));
  }

 private:
  const stack::Inventory& node_;
  diagnose::Observation& out_;
};

/// "gpu.<n>." of the GPU with this UUID; "" where the inventory does not have it.
std::string prefix_of(const stack::Inventory& node, const std::string& uuid) {
  if (uuid.empty()) return "";
  for (const std::string& number : node.children("gpu"))
    if (node.value(fmt::format("gpu.{}.uuid", number)) == uuid) return fmt::format("gpu.{}.", number);
  return "";
}

void add_driver(Facts& facts) {
  constexpr std::array<const char*, 5> same{"driver.version", "driver.kernel_module_version",
                                            "driver.libcuda_path", "driver.libcuda_version",
                                            "driver.cuda_max"};
  for (const char* const key : same) facts.copy(key, key);
  facts.flag("driver.open_module", "driver.kernel_module_kind", {"open"});
  facts.flag("uvm.loaded", "driver.uvm", {"loaded"});
  if (facts.is_absent("driver.peermem")) facts.set("peermem.module", {});
  // "loaded nv_peer_mem"
  if (const std::string peermem = facts.value("driver.peermem"); peermem.starts_with("loaded"))
    facts.set("peermem.module", peermem.find(' ') == std::string::npos
                                    ? "nvidia_peermem"
                                    : peermem.substr(peermem.find(' ') + 1));
  facts.flag("kernel.kaslr", "driver.kernel_aslr", {"on"});
  facts.flag("host.secure_boot", "driver.secure_boot", {"on"});
  facts.copy("gpu.vgpu_license", "vgpu.licence");
  facts.copy("gpu.confidential_computing", "driver.confidential_computing");
}

/// A package of the fabric manager lies on many machines without a switch, and is then no sign of anything.
void add_fabric(Facts& facts) {
  facts.flag("topology.nvswitch", "topology.nvswitch", {"yes"});
  if (facts.value("topology.nvswitch") != "yes" && facts.value("fabric_manager.state") != "running") return;
  if (facts.tells("fabric_manager.state"))
    facts.set("fabric_manager.state",
              facts.value("fabric_manager.state") == "running" ? "running" : "not running");
  facts.copy("fabric_manager.version", "fabric_manager.version");
}

void add_gpu_facts(Facts& facts, const std::string& gpu) {
  facts.copy("driver.gsp", gpu + "gsp");
  facts.copy("gpu.brand", gpu + "brand");
  facts.copy("gpu.fabric_state", gpu + "fabric_state");
  facts.copy("gpu.fabric_health", gpu + "fabric_health");
  const auto corrected = result::number_in<double>(facts.value(gpu + "remapped_correctable"));
  const auto uncorrected = result::number_in<double>(facts.value(gpu + "remapped_uncorrectable"));
  if (corrected || uncorrected)
    facts.set("gpu.remapped_rows", corrected.value_or(0) + uncorrected.value_or(0));
}

/// What the network cards are, by their drivers and links. A machine without cards has no fabric to name.
void add_network(const stack::Inventory& node, Facts& facts) {
  if (facts.is_absent("host.infiniband")) facts.set("host.infiniband", false);
  if (!node.has("host.infiniband")) return;
  bool network = false;
  std::set<std::string> kinds;
  for (const std::string& card : node.children("host.infiniband")) {
    const std::string prefix = fmt::format("host.infiniband.{}.", card);
    if (facts.value(prefix + "role") == "switch management") continue;
    network = true;
    if (facts.value(prefix + "driver") == "efa")
      kinds.insert("efa");
    else if (facts.value(prefix + "link_layer") == "InfiniBand")
      kinds.insert("infiniband");
    else if (facts.value(prefix + "link_layer") == "Ethernet")
      kinds.insert("roce");
  }
  facts.set("host.infiniband", network);
  if (kinds.size() == 1) facts.set("host.fabric", *kinds.begin());
}

/// How the RDMA ports and their cards' links are, and what most of their model, or card and slot, say that they ought to
/// be. Nothing where there is no majority, and of links nothing in a virtual machine, which makes its slots up.
void add_ports(const stack::Inventory& node, Facts& facts) {
  std::size_t active = 0;
  std::size_t expected = 0;
  std::optional<std::pair<double, double>>
      rate;  // the slowest beside what such ports have, where farthest below
  const stack::RdmaPorts ports = stack::certain_rdma_ports(node);
  for (const stack::CardGroup& group : stack::alike(ports)) {
    const stack::RdmaPorts up = group.active();
    if (group.usual_active) {
      active += up.size();
      expected += std::max(up.size(), *group.usual_active * group.cards.size());
    }
    if (!group.usual_rate) continue;
    for (const stack::RdmaPort& port : up)
      if (const auto gigabits = port.gigabits();
          gigabits && (!rate || *gigabits / *group.usual_rate < rate->first / rate->second))
        rate = {*gigabits, *group.usual_rate};
  }
  if (expected > 0) {
    facts.set("network.ports_active", static_cast<double>(active));
    facts.set("network.ports_expected", static_cast<double>(expected));
  }
  if (rate) {
    facts.set("network.rate_gbps", rate->first);
    facts.set("network.rate_expected_gbps", rate->second);
  }
  const std::string machine = facts.value("host.virtualization");
  const auto slow =
      std::find_if(ports.begin(), ports.end(), [](const auto& port) { return port.link.below(); });
  if (slow == ports.end() || (!machine.empty() && machine != "none")) return;
  facts.set("network.pcie_generation", *slow->link.generation);
  facts.set("network.pcie_generation_max", *slow->link.generation_possible);
  facts.set("network.pcie_width", *slow->link.width);
  facts.set("network.pcie_width_max", *slow->link.width_possible);
}

void add_host(const stack::Inventory& node, Facts& facts) {
  facts.copy("host.iommu", "host.iommu");
  facts.flag("host.acs", "host.acs", {"on"});
  facts.number("host.shm_mib", "host.shm_mib");
  facts.number("host.memlock_kib", "host.memlock_kib");
  add_network(node, facts);
  add_ports(node, facts);
}

/// Lines of the kernel's log since the last boot in which NVIDIA's module names a fault of its own. Telemetry
/// tells of an Xid, and of what did not let a GPU start the doctor tells.
void add_kernel_log(const stack::Inventory& node, diagnose::Observation& out) {
  constexpr std::array<std::string_view, 4> words{"assert", "Assert", "RPC", "GSP"};
  for (const std::string& number : node.children("kernel_log.nvrm")) {
    const std::string line = node.value("kernel_log.nvrm." + number);
    const auto is_in_line = [&](std::string_view word) { return line.find(word) != std::string::npos; };
    if (std::any_of(words.begin(), words.end(), is_in_line)) out.log.push_back("kernel log: " + line);
  }
}

}  // namespace

void add_stack_facts(const stack::Inventory& node, const std::string& uuid, diagnose::Observation& out) {
  Facts facts(node, out);
  add_driver(facts);
  add_fabric(facts);
  add_host(node, facts);
  if (const std::string gpu = prefix_of(node, uuid); !gpu.empty()) add_gpu_facts(facts, gpu);
  facts.copy("driver.gsp", "driver.gsp");
  add_kernel_log(node, out);
}

std::map<std::string, diagnose::Change> changed_stack_facts(const stack::Inventory& now,
                                                            const stack::Inventory& before,
                                                            const std::string& uuid) {
  diagnose::Observation then, as_it_is;
  add_stack_facts(before, uuid, then);
  add_stack_facts(now, uuid, as_it_is);
  std::map<std::string, diagnose::Change> out;
  for (const auto& [key, value] : as_it_is.inventory)
    if (const auto found = then.inventory.find(key);
        found != then.inventory.end() && found->second != value && !key.ends_with("path"))
      out.emplace(key, diagnose::Change{found->second, value});
  return out;
}

}  // namespace gpugauge::conductor
