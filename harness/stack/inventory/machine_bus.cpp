// IOMMU and Access Control Services.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/hardware.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/machine.hpp"
#include "stack/pci_way.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t configuration_size = 4096;

std::uint32_t word_at(std::string_view bytes, std::size_t offset) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i-- > 0;) word = word << 8U | static_cast<unsigned char>(bytes[offset + i]);
  return word;
}

std::string translation_word(const std::string& type) {
  if (type == "identity") return "passthrough";
  return type.starts_with("DMA") ? "translated" : "unknown";
}

/// Types of the groups with GPUs; of all groups if there is no GPU.
std::set<std::string> group_types(const Tree& tree, bool& refused) {
  std::vector<std::string> files;
  for (const std::string& address : gpu_addresses(tree))
    files.push_back(fmt::format("{}/{}/iommu_group/type", pci_devices, address));
  if (files.empty()) {
    for (const std::string& group : tree.list("/sys/kernel/iommu_groups"))
      files.push_back(fmt::format("/sys/kernel/iommu_groups/{}/type", group));
  }
  std::set<std::string> types;
  for (const std::string& file : files) {
    const Reading type = tree.read(file);
    refused |= type.presence == Presence::unreadable;
    if (type.present() && !type.text.empty()) types.insert(translation_word(type.text));
  }
  return types;
}

}  // namespace

std::vector<std::string> gpu_addresses(const Tree& tree) {
  std::vector<std::string> addresses;
  for (const std::string& address : tree.list(pci_devices)) {
    const std::string folder = fmt::format("{}/{}", pci_devices, address);
    if (tree.read(folder + "/vendor").text == "0x10de" &&
        tree.read(folder + "/class").text.starts_with("0x03") && !is_virtual_function(tree, folder))
      addresses.push_back(address);
  }
  return addresses;
}

void collect_iommu(const Tree& tree, Inventory& inventory) {
  const char* const key = "host.iommu";
  const char* const groups = "/sys/kernel/iommu_groups";
  if (!tree.exists("/sys/kernel")) return inventory.absent(key, groups, "no /sys here");
  if (tree.list(groups).empty()) return inventory.present(key, "off", groups, "no groups");
  bool refused = false;
  const auto types = group_types(tree, refused);
  const std::string source = gpu_addresses(tree).empty() ? "/sys/kernel/iommu_groups/*/type"
                                                         : "/sys/bus/pci/devices/*/iommu_group/type";
  if (types.contains("translated")) return inventory.present(key, "translated", source, "type of the group");
  if (types.contains("passthrough"))
    return inventory.present(key, "passthrough", source, "type of the group");
  if (refused) return inventory.unreadable(key, source, "root");
  const Reading line = tree.read("/proc/cmdline");
  const auto words = words_of(line.text);
  const bool asked = std::find(words.begin(), words.end(), "iommu=pt") != words.end() ||
                     std::find(words.begin(), words.end(), "iommu.passthrough=1") != words.end();
  inventory.present(key, asked ? "passthrough" : "unknown", asked ? "/proc/cmdline" : source,
                    asked ? "iommu=pt" : "the kernel tells no type");
}

Acs acs_of(std::string_view bytes) {
  constexpr std::size_t visible_to_all = 64;
  constexpr std::size_t extended = 0x100;
  constexpr std::uint32_t acs_id = 0x000d;
  constexpr std::uint32_t redirects = 0x0c;  // P2P Request Redirect, P2P Completion Redirect
  if (bytes.size() < visible_to_all) return Acs::damaged;
  if (bytes.size() == visible_to_all) return Acs::hidden;
  std::size_t offset = extended;
  for (int steps = 0; steps < 64 && offset >= extended && offset + 8 <= bytes.size(); ++steps) {
    const std::uint32_t header = word_at(bytes, offset);
    if (header == 0 || header == 0xffffffffU) return Acs::passes;
    if ((header & 0xffffU) == acs_id)
      return (word_at(bytes, offset + 4) >> 16U & redirects) != 0 ? Acs::redirects : Acs::passes;
    offset = header >> 20U & ~3U;
  }
  return Acs::passes;
}

void collect_acs(const Tree& tree, Inventory& inventory) {
  const char* const key = "host.acs";
  std::set<std::string> bridges;
  for (const std::string& address : gpu_addresses(tree)) {
    for (std::string& bridge : bridges_above(tree, address)) bridges.insert(std::move(bridge));
  }
  if (bridges.empty()) return inventory.absent(key, pci_devices, "no bridge above an NVIDIA GPU is visible");
  std::vector<std::string> redirecting;
  std::string hidden;
  for (const std::string& bridge : bridges) {
    const std::string file = fmt::format("{}/{}/config", pci_devices, bridge);
    const Reading configuration = tree.read_raw(file, configuration_size);
    const Acs acs = configuration.present() ? acs_of(configuration.text) : Acs::hidden;
    if (acs == Acs::redirects) redirecting.push_back(bridge);
    if (acs == Acs::hidden || acs == Acs::damaged) hidden = file;
  }
  if (!redirecting.empty()) {
    inventory.present(key, "on", "/sys/bus/pci/devices/*/config",
                      fmt::format("redirects: {}", fmt::join(redirecting, " ")));
  } else if (!hidden.empty()) {
    inventory.unreadable(key, hidden, "root");
  } else {
    inventory.present(key, "off", "/sys/bus/pci/devices/*/config", fmt::format("{} bridges", bridges.size()));
  }
}

}  // namespace gpugauge::stack
