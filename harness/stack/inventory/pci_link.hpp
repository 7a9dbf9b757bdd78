// The PCIe link of a function, as the kernel tells it.
#pragma once

#include <string>
#include <string_view>

#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// Generation of a PCIe link from its speed in sysfs: "32.0 GT/s PCIe" -> "5"; "" for other text.
std::string pcie_generation(std::string_view speed);

/// Adds what the inventory does not have yet of <prefix>pcie_generation, pcie_generation_max, pcie_width and
/// pcie_width_max. `folder` is the function's ("/sys/bus/pci/devices/0000:3b:00.0"). A link that does not tell, as that
/// of a virtual function, adds nothing.
void add_pci_link(const Tree& tree, const std::string& folder, const std::string& prefix,
                  Inventory& inventory);

}  // namespace gpugauge::stack
