#include "stack/inventory/rdma_ports.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/number.hpp"

namespace gpugauge::stack {
namespace {

CardLink link_of(const Inventory& inventory, const std::string& name) {
  const auto number = [&](const char* fact) {
    const auto value =
        result::number_in<double>(inventory.value(fmt::format("host.infiniband.{}.{}", name, fact)));
    return value.value_or(0) > 0 ? value : std::nullopt;
  };
  const std::string machine = inventory.value("host.virtualization");
  const bool real = machine.empty() || machine == "none";
  const auto possible = [&](std::optional<double> card, const char* slot) {
    const auto most = number(slot);
    return real && card && most ? std::min(*card, *most) : card;
  };
  return {.generation = number("pcie_generation"),
          .width = number("pcie_width"),
          .generation_possible = possible(number("pcie_generation_max"), "slot_pcie_generation_max"),
          .width_possible = possible(number("pcie_width_max"), "slot_pcie_width_max")};
}

/// True for boards with fourth-generation NVSwitches, which come with Blackwell. Functions that look like
/// network devices manage these switches.
bool may_have_managed_switches(const Inventory& inventory) {
  constexpr double blackwell = 10;
  for (const std::string& index : inventory.children("gpu")) {
    const std::string capability = inventory.value(fmt::format("gpu.{}.compute_capability", index));
    const auto links =
        result::number_in<double>(inventory.value(fmt::format("gpu.{}.nvlinks_active", index)));
    if (result::leading_number<int>(capability).value_or(0) >= blackwell && links.value_or(0) > 0)
      return true;
  }
  return false;
}

/// The value of more than half of them.
template <typename Value>
std::optional<Value> of_most(std::vector<Value> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const Value middle = values[values.size() / 2];
  const auto count = static_cast<std::size_t>(std::count(values.begin(), values.end(), middle));
  return 2 * count > values.size() ? std::optional(middle) : std::nullopt;
}

}  // namespace

bool CardLink::below() const {
  return generation && width && generation_possible && width_possible &&
         (*generation < *generation_possible || *width < *width_possible);
}

std::optional<double> RdmaPort::gigabits() const {
  if (!active()) return std::nullopt;
  return result::number_in<double>(rate.substr(0, rate.find(' ')));
}

std::string RdmaPort::shown() const {
  std::vector<std::string> known;
  for (const std::string& part : {address, interface})
    if (!part.empty()) known.push_back(part);
  return known.empty() ? name : fmt::format("{} ({})", name, fmt::join(known, ", "));
}

RdmaPorts rdma_ports(const Inventory& inventory) {
  RdmaPorts ports;
  const bool doubtful = may_have_managed_switches(inventory);
  std::istringstream names(inventory.value("host.infiniband"));
  for (std::string name; names >> name;) {
    const auto value = [&](const char* fact) {
      return inventory.value(fmt::format("host.infiniband.{}.{}", name, fact));
    };
    if (value("role") == "switch management" || value("virtual_function") == "yes") continue;
    const bool certain = !doubtful || value("role") == "network" || value("link_layer") == "Ethernet" ||
                         value("driver") == "efa";
    ports.push_back({.name = name,
                     .driver = value("driver"),
                     .model = value("pci_id").empty() ? value("board") : value("pci_id"),
                     .address = value("pci"),
                     .link_layer = value("link_layer"),
                     .state = value("state"),
                     .physical_state = value("physical_state"),
                     .rate = value("rate"),
                     .interface = value("interface"),
                     .link = link_of(inventory, name),
                     .certain = certain});
  }
  return ports;
}

RdmaPorts certain_rdma_ports(const Inventory& inventory) {
  RdmaPorts ports = rdma_ports(inventory);
  std::erase_if(ports, [](const RdmaPort& port) { return !port.certain; });
  return ports;
}

RdmaPorts CardGroup::active() const {
  RdmaPorts out;
  for (const RdmaPorts& card : cards)
    std::copy_if(card.begin(), card.end(), std::back_inserter(out),
                 [](const RdmaPort& port) { return port.active(); });
  return out;
}

std::vector<CardGroup> alike(const RdmaPorts& ports) {
  std::map<std::pair<std::string, std::string>, std::map<std::string, RdmaPorts>> groups;
  for (const RdmaPort& port : ports) {
    if (port.model.empty()) continue;
    const std::string card = port.address.substr(0, port.address.rfind('.'));
    groups[{port.model, port.link_layer}][card.empty() ? port.name : card].push_back(port);
  }
  std::vector<CardGroup> out;
  for (auto& [key, cards] : groups) {
    CardGroup group;
    std::vector<std::size_t> counts;
    std::vector<double> rates;
    for (auto& [place, card] : cards) {
      counts.push_back(static_cast<std::size_t>(
          std::count_if(card.begin(), card.end(), [](const RdmaPort& port) { return port.active(); })));
      for (const RdmaPort& port : card)
        if (const auto gigabits = port.gigabits()) rates.push_back(*gigabits);
      group.cards.push_back(std::move(card));
    }
    group.usual_active = of_most(std::move(counts));
    group.usual_rate = of_most(std::move(rates));
    out.push_back(std::move(group));
  }
  return out;
}

}  // namespace gpugauge::stack
