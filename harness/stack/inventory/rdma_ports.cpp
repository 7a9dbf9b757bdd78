#include "stack/inventory/rdma_ports.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <tuple>

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

}  // namespace

bool CardLink::below() const {
  return generation && width && generation_possible && width_possible &&
         (*generation < *generation_possible || *width < *width_possible);
}

std::optional<double> CardLink::gigabits() const {
  constexpr std::array per_lane{2.5 * 8 / 10, 5.0 * 8 / 10, 8.0 * 128 / 130, 16.0 * 128 / 130,
                                32.0 * 128 / 130};
  if (!generation || !width || *generation < 1 || *generation > static_cast<double>(per_lane.size()))
    return std::nullopt;
  return per_lane.at(static_cast<std::size_t>(*generation) - 1) * *width;
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

std::vector<RdmaPorts> alike(const RdmaPorts& ports) {
  std::map<std::tuple<std::string, std::string, std::string>, RdmaPorts> groups;
  for (const RdmaPort& port : ports) {
    const auto dot = port.address.rfind('.');
    groups[{port.board.empty() ? port.driver : port.board, port.link_layer,
            dot == std::string::npos ? "" : port.address.substr(dot)}]
        .push_back(port);
  }
  std::vector<RdmaPorts> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  return out;
}

RdmaPorts rdma_ports(const Inventory& inventory) {
  RdmaPorts ports;
  std::istringstream names(inventory.value("host.infiniband"));
  for (std::string name; names >> name;) {
    const auto value = [&](const char* fact) {
      return inventory.value(fmt::format("host.infiniband.{}.{}", name, fact));
    };
    if (value("role") == "switch management") continue;
    ports.push_back({.name = name,
                     .driver = value("driver"),
                     .role = value("role"),
                     .board = value("board"),
                     .address = value("pci"),
                     .link_layer = value("link_layer"),
                     .state = value("state"),
                     .physical_state = value("physical_state"),
                     .rate = value("rate"),
                     .interface = value("interface"),
                     .link = link_of(inventory, name)});
  }
  return ports;
}

}  // namespace gpugauge::stack
