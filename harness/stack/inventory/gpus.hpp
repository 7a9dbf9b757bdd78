// Parts of collect_gpus: the child that asks the driver, and what files say without it.
#pragma once

#include <string>

#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {

/// What the child runs (`gpugauge probe inventory`): asks NVML, then CUDA, and prints one inventory a line,
/// as soon as each part is known, so that what was answered before a hang or crash is not lost. The last one
/// holds driver_child.outcome. Returns the exit code.
int inventory_child_main();

/// gpu.<n> of the kernel module's own list, where neither NVML nor CUDA answered.
void add_gpus_of_module(const Tree& tree, Inventory& inventory);
/// What the PCI bus and the kernel module know of gpu.<n>, where the driver did not say: link, NUMA node,
/// GSP.
void add_bus_facts(const Tree& tree, Inventory& inventory);
/// pci.<n>: NVIDIA's functions that no gpu.<n> stands for.
void add_pci_functions(const Tree& tree, Inventory& inventory);

/// Generation of a link's speed as sysfs writes it: "32.0 GT/s PCIe" -> "5"; "" for what is none.
std::string pcie_generation(std::string_view speed);

}  // namespace gpugauge::stack
