// Parts of collect_gpus: the child that asks the driver, and facts from files alone.
#pragma once

#include <string>

#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {

/// The child's side; `gpugauge probe inventory` runs it. Asks NVML, then CUDA, and prints one inventory per
/// line as soon as each part is known. A hang or crash then loses no earlier answer. The last line holds
/// driver_child.outcome. Returns the exit code.
int inventory_child_main();

/// Adds gpu.<n> from the kernel module's own list, if neither NVML nor CUDA answered.
void add_gpus_of_module(const Tree& tree, Inventory& inventory);
/// Adds to gpu.<n> what the PCI bus and the kernel module know and the driver did not say: link, NUMA node,
/// GSP.
void add_bus_facts(const Tree& tree, Inventory& inventory);
/// Adds pci.<n>: NVIDIA functions that no gpu.<n> represents.
void add_pci_functions(const Tree& tree, Inventory& inventory);

}  // namespace gpugauge::stack
