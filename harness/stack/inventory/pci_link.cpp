#include "stack/inventory/pci_link.hpp"

#include <array>

#include <fmt/format.h>

#include "result/number.hpp"

namespace gpugauge::stack {
namespace {

/// Lanes: "16"; "" where 255 and 0 mean no link.
std::string pcie_width(const std::string& text) {
  return result::number_in<int>(text).value_or(0) > 0 && text != "255" ? text : "";
}

}  // namespace

std::string pcie_generation(std::string_view speed) {
  struct Generation {
    std::string_view start;
    std::string_view number;
  };
  // Older kernels write "8 GT/s", newer ones "8.0 GT/s PCIe".
  constexpr std::array generations{
      Generation{"2.5 ", "1"},  Generation{"5 ", "2"},  Generation{"5.0 ", "2"},  Generation{"8 ", "3"},
      Generation{"8.0 ", "3"},  Generation{"16 ", "4"}, Generation{"16.0 ", "4"}, Generation{"32 ", "5"},
      Generation{"32.0 ", "5"}, Generation{"64 ", "6"}, Generation{"64.0 ", "6"}};
  for (const Generation& generation : generations) {
    if (speed.starts_with(generation.start)) return std::string(generation.number);
  }
  return "";
}

void add_pci_link(const Tree& tree, const std::string& folder, const std::string& prefix,
                  Inventory& inventory) {
  struct Fact {
    const char* name;
    const char* file;
    bool speed;
  };
  constexpr std::array facts{Fact{"pcie_generation", "current_link_speed", true},
                             Fact{"pcie_generation_max", "max_link_speed", true},
                             Fact{"pcie_width", "current_link_width", false},
                             Fact{"pcie_width_max", "max_link_width", false}};
  for (const Fact& fact : facts) {
    const std::string file = fmt::format("{}/{}", folder, fact.file);
    const std::string text = tree.read(file).text;
    std::string value = fact.speed ? pcie_generation(text) : pcie_width(text);
    if (!value.empty() && !inventory.has(prefix + fact.name))
      inventory.present(prefix + fact.name, std::move(value), file, "sysfs");
  }
}

}  // namespace gpugauge::stack
