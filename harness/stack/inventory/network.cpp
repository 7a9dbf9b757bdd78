// The cards and ports through which a node reaches others by RDMA: InfiniBand, RoCE, EFA.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/number.hpp"
#include "stack/inventory/machine.hpp"
#include "stack/inventory/pci_link.hpp"
#include "stack/pci_way.hpp"

namespace gpugauge::stack {
namespace {

/// Adds the text of a file, where it has any.
void add_text(const Tree& tree, const std::string& file, const std::string& key, Inventory& inventory) {
  if (const std::string text = tree.read(file).text; !text.empty()) inventory.present(key, text, file);
}

/// "4: ACTIVE" -> "ACTIVE".
void add_state(const Tree& tree, const std::string& file, const std::string& key, Inventory& inventory) {
  const std::string text = tree.read(file).text;
  const auto colon = text.find(": ");
  if (!text.empty()) inventory.present(key, text.substr(colon == std::string::npos ? 0 : colon + 2), file);
}

/// Adds a card's driver, and whether it carries data. On HGX B200 the NVSwitches are managed
/// through functions that look like a network card's (siderolabs/extensions#893). Their vital product data
/// has the mark that starters of the fabric manager look for; the kernel shows it to root only.
void add_function(const Tree& tree, const std::string& function, const std::string& prefix,
                  Inventory& inventory) {
  if (const std::string driver = tree.link_name(function + "/driver"); !driver.empty())
    inventory.present(prefix + "driver", driver, function + "/driver");
  constexpr std::string_view maker_of_the_bridges = "0x15b3";
  constexpr std::size_t data_most = 1024;
  if (tree.read(function + "/vendor").text != maker_of_the_bridges) return;
  const Reading data = tree.read_raw(function + "/vpd", data_most);
  if (!data.present() || data.text.empty()) return;
  const bool manages = data.text.find("SW_MNG") != std::string::npos;
  inventory.present(prefix + "role", manages ? "switch management" : "network", function + "/vpd");
}

/// The card's address and PCIe link, and what the slot that it sits in could carry.
void add_place(const Tree& tree, const std::string& function, const std::string& prefix,
               Inventory& inventory) {
  const std::string address = tree.link_name(function);
  if (address.find(':') == std::string::npos) return;  // not on the PCI bus
  inventory.present(prefix + "pci", address, function);
  const auto word = [&](const char* file) {
    const std::string text = tree.read(function + "/" + file).text;
    return text.starts_with("0x") ? text.substr(2) : std::string("?");
  };
  if (tree.exists(function + "/vendor"))
    inventory.present(prefix + "pci_id",
                      fmt::format("{}:{} {}:{}", word("vendor"), word("device"), word("subsystem_vendor"),
                                  word("subsystem_device")),
                      function + "/vendor", "vendor, device and subsystem");
  if (tree.exists(function + "/physfn"))
    inventory.present(prefix + "virtual_function", "yes", function + "/physfn");
  add_pci_link(tree, function, prefix, inventory);
  const std::string node = tree.read(function + "/numa_node").text;
  if (result::number_in<int>(node).value_or(-1) >= 0)
    inventory.present(prefix + "numa_node", node, function + "/numa_node");
  // The narrowest of the links above it: the card's own switch may be the nearest.
  for (const std::string& bridge : bridges_above(tree, address)) {
    Inventory above;
    add_pci_link(tree, fmt::format("{}/{}", pci_devices, bridge), "", above);
    for (const char* const fact : {"pcie_generation_max", "pcie_width_max"}) {
      const Item* const item = above.find(fact);
      if (item == nullptr) continue;
      const std::string key = fmt::format("{}slot_{}", prefix, fact);
      const auto known = result::number_in<int>(inventory.value(key));
      if (!known || result::number_in<int>(item->value).value_or(*known) < *known)
        inventory.present(key, item->value, item->source, item->how);
    }
  }
}

/// The interface of the kernel's network that the port's first address is of, else the function's first; with the largest
/// packet that it takes. A function may have several, of a bond or of a DPU's virtual ports.
void add_interface(const Tree& tree, const std::string& function, const std::string& port,
                   const std::string& prefix, Inventory& inventory) {
  const std::string of_address = port + "/gid_attrs/ndevs/0";
  const std::string folder = function + "/net";
  std::string name = tree.read(of_address).text;
  const bool told = !name.empty() && name.find('/') == std::string::npos;
  if (!told) {
    const auto interfaces = tree.list(folder);
    if (interfaces.empty()) return;
    name = interfaces.front();
  }
  inventory.present(prefix + "interface", name, told ? of_address : folder);
  const std::string own = fmt::format("{}/{}/mtu", folder, name);
  add_text(tree, tree.exists(own) ? own : fmt::format("/sys/class/net/{}/mtu", name), prefix + "mtu",
           inventory);
}

/// A device's first active port, else its first. Most cards show a device for each port; those with the driver mlx4 do not.
std::string port_of(const Tree& tree, const std::string& card) {
  const auto ports = tree.list(card + "/ports");
  for (const std::string& number : ports) {
    std::string port = fmt::format("{}/ports/{}", card, number);
    if (tree.read(port + "/state").text.ends_with("ACTIVE")) return port;
  }
  return ports.empty() ? "" : fmt::format("{}/ports/{}", card, ports.front());
}

void add_port(const Tree& tree, const std::string& port, const std::string& prefix, Inventory& inventory) {
  add_text(tree, port + "/link_layer", prefix + "link_layer", inventory);
  add_state(tree, port + "/state", prefix + "state", inventory);
  add_state(tree, port + "/phys_state", prefix + "physical_state", inventory);
  add_text(tree, port + "/rate", prefix + "rate", inventory);
  add_text(tree, port + "/counters/link_downed", prefix + "link_downed", inventory);
  add_text(tree, port + "/counters/symbol_error", prefix + "symbol_errors", inventory);
}

}  // namespace

void collect_infiniband(const Tree& tree, Inventory& inventory) {
  const std::string folder = "/sys/class/infiniband";
  const auto names = tree.list(folder);
  if (names.empty()) return inventory.absent("host.infiniband", folder);
  inventory.present("host.infiniband", fmt::format("{}", fmt::join(names, " ")), folder);
  for (const std::string& name : names) {
    const std::string prefix = fmt::format("host.infiniband.{}.", name);
    const std::string card = fmt::format("{}/{}", folder, name);
    const std::string function = card + "/device";
    add_function(tree, function, prefix, inventory);
    add_text(tree, card + "/board_id", prefix + "board", inventory);
    add_text(tree, card + "/fw_ver", prefix + "firmware", inventory);
    add_place(tree, function, prefix, inventory);
    const std::string port = port_of(tree, card);
    add_interface(tree, function, port, prefix, inventory);
    if (!port.empty()) add_port(tree, port, prefix, inventory);
  }
}

}  // namespace gpugauge::stack
