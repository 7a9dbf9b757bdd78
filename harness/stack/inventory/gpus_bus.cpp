// Facts about the GPUs from the PCI bus and the kernel module, without the driver's libraries.
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "result/number.hpp"
#include "stack/hardware.hpp"
#include "stack/inventory/driver.hpp"
#include "stack/inventory/gpus.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/pci_link.hpp"

namespace gpugauge::stack {
namespace {

constexpr const char* devices = "/sys/bus/pci/devices";

void add_if_silent(Inventory& inventory, const std::string& key, const std::string& value,
                   const std::string& source, const std::string& how) {
  if (!inventory.has(key) && !value.empty()) inventory.present(key, value, source, how);
}

/// "10de:2330"; "" if the bus does not tell.
std::string pci_id(const Tree& tree, const std::string& folder) {
  const std::string vendor = tree.read(folder + "/vendor").text;
  const std::string device = tree.read(folder + "/device").text;
  if (!vendor.starts_with("0x") || !device.starts_with("0x")) return "";
  return fmt::format("{}:{}", vendor.substr(2), device.substr(2));
}

void add_link(const Tree& tree, const std::string& folder, const std::string& prefix, Inventory& inventory) {
  add_pci_link(tree, folder, prefix, inventory);
  add_if_silent(inventory, prefix + "pcie_sampled", "unknown", folder, "nobody tells what the GPU was doing");
}

void add_numa_node(const Tree& tree, const std::string& folder, const std::string& prefix,
                   Inventory& inventory) {
  const std::string file = folder + "/numa_node";
  const Reading node = tree.read(file);
  if (node.presence == Presence::unreadable) {
    inventory.unreadable(prefix + "numa_node", file, "root");
  } else if (const auto number = result::number_in<int>(node.text); number && *number >= 0) {
    inventory.present(prefix + "numa_node", node.text, file);
  } else {
    inventory.absent(prefix + "numa_node", file, node.present() ? "the firmware names none" : "");
  }
}

void add_of_module(const ModuleGpu& gpu, const std::string& prefix, Inventory& inventory) {
  const std::string source = fmt::format("/proc/driver/nvidia/gpus/{}/information", gpu.address);
  add_if_silent(inventory, prefix + "name", gpu.name, source, "kernel module");
  add_if_silent(inventory, prefix + "uuid", gpu.uuid, source, "kernel module");
  add_if_silent(inventory, prefix + "vbios", gpu.vbios, source, "kernel module");
  add_if_silent(inventory, prefix + "gsp", gpu.firmware, source, "kernel module");
}

/// Whether this process may open a GPU's device node. Opening it would start the GPU. For a mere access check
/// the kernel also consults the device cgroup.
const char* node_state(const Tree& tree, const std::string& node) {
  if (!tree.exists(node)) return "missing";
  const std::filesystem::path place = tree.at(node);
  return !place.empty() && ::access(place.c_str(), R_OK | W_OK) == 0 ? "there" : "refused";
}

/// Adds the device node of a function according to the kernel module, and whether this process can reach it.
/// A container runtime may hide the module's folder of a GPU; then nothing is added.
void add_node(const Tree& tree, const std::string& address, const std::string& prefix, Inventory& inventory) {
  const std::string file = fmt::format("/proc/driver/nvidia/gpus/{}/information", address);
  const Reading information = tree.read(file);
  for_each_line(information.text, [&](std::string_view line) {
    if (const auto excluded = after(line, "GPU Excluded:"); excluded && stripped(*excluded) == "Yes")
      inventory.present(prefix + "excluded", "yes", file, "kernel module");
    const auto minor = after(line, "Device Minor:");
    const auto number = minor ? result::number_in<unsigned>(stripped(*minor)) : std::nullopt;
    if (!number || inventory.has(prefix + "minor")) return;
    const std::string node = fmt::format("/dev/nvidia{}", *number);
    inventory.present(prefix + "minor", std::to_string(*number), file, "kernel module");
    inventory.present(prefix + "node", node_state(tree, node), node, "rights to read and write");
  });
}

}  // namespace

void add_gpus_of_module(const Tree& tree, Inventory& inventory) {
  const auto gpus = gpus_of_module(tree);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const std::string source = fmt::format("/proc/driver/nvidia/gpus/{}/information", gpus[i].address);
    inventory.present(fmt::format("gpu.{}.pci", i), gpus[i].address, source, "kernel module");
  }
}

void add_bus_facts(const Tree& tree, Inventory& inventory) {
  const auto of_module = gpus_of_module(tree);
  for (const std::string& index : inventory.children("gpu")) {
    const std::string prefix = fmt::format("gpu.{}.", index);
    const std::string address = inventory.value(prefix + "pci");
    if (address.empty()) continue;
    const auto known = std::find_if(of_module.begin(), of_module.end(),
                                    [&](const ModuleGpu& gpu) { return gpu.address == address; });
    if (known != of_module.end()) add_of_module(*known, prefix, inventory);
    const std::string folder = fmt::format("{}/{}", devices, address);
    if (!tree.exists(folder)) continue;
    add_if_silent(inventory, prefix + "pci_id", pci_id(tree, folder), folder + "/device",
                  "vendor and device");
    add_link(tree, folder, prefix, inventory);
    add_numa_node(tree, folder, prefix, inventory);
  }
}

void add_pci_functions(const Tree& tree, Inventory& inventory) {
  std::set<std::string> driven;
  for (const std::string& index : inventory.children("gpu"))
    driven.insert(inventory.value(fmt::format("gpu.{}.pci", index)));
  int count = 0;
  for (const std::string& address : tree.list(devices)) {
    const std::string folder = fmt::format("{}/{}", devices, address);
    if (driven.contains(address) || tree.read(folder + "/vendor").text != "0x10de") continue;
    const Reading code = tree.read(folder + "/class");
    const bool gpu = code.text.rfind("0x03", 0) == 0;
    if (!gpu && code.text.rfind("0x0680", 0) != 0) continue;
    if (is_virtual_function(tree, folder)) continue;
    const std::string prefix = fmt::format("pci.{}.", count++);
    inventory.present(prefix + "address", address, devices);
    inventory.present(prefix + "class", gpu ? "gpu" : "nvswitch", folder + "/class");
    const std::string id = tree.read(folder + "/device").text;
    if (!id.empty()) inventory.present(prefix + "device_id", id, folder + "/device");
    const std::string driver = tree.link_name(folder + "/driver");
    if (driver.empty()) {
      inventory.absent(prefix + "driver", folder + "/driver", "no kernel driver is bound");
    } else {
      inventory.present(prefix + "driver", driver, folder + "/driver");
    }
    if (gpu) add_node(tree, address, prefix, inventory);
  }
  if (count > 0 || !driven.empty()) return;
  switch (tree.folder(devices)) {
    case Presence::present:
      return inventory.absent("pci", devices, "no GPU and no NVSwitch of NVIDIA");
    case Presence::absent:
      return inventory.absent("pci", devices, "no PCI bus is visible here");
    case Presence::unreadable:
      return inventory.unreadable("pci", devices, "root");
  }
}

}  // namespace gpugauge::stack
