// Parts of collect_machine: what stands between the GPUs and the processors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {

void collect_iommu(const Tree& tree, Inventory& inventory);       ///< host.iommu
void collect_acs(const Tree& tree, Inventory& inventory);         ///< host.acs
void collect_infiniband(const Tree& tree, Inventory& inventory);  ///< host.infiniband.*

/// Addresses of NVIDIA's display and 3D controllers on the PCI bus, without virtual functions.
std::vector<std::string> gpu_addresses(const Tree& tree);

/// What a bridge's configuration space says of Access Control Services.
enum class Acs {
  redirects,  ///< requests or completions between devices below it are sent up to the root
  passes,     ///< none is redirected, or the bridge has no such capability
  hidden,     ///< only the first bytes can be read
  damaged,    ///< no configuration space of PCI Express
};
/// `bytes`: of /sys/bus/pci/devices/<address>/config.
Acs acs_of(std::string_view bytes);

}  // namespace gpugauge::stack
