// Parts of collect_machine: what lies between GPUs and processors, and the driver's cache.
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
/// cuda.jit_cache, on the live machine: of CUDA_CACHE_PATH, else of ~/.nv/ComputeCache. Writes nothing.
void collect_jit_cache(const Context& context, Inventory& inventory);

/// PCI addresses of NVIDIA's display and 3D controllers, without virtual functions.
std::vector<std::string> gpu_addresses(const Tree& tree);

/// Access Control Services according to a bridge's configuration space.
enum class Acs {
  redirects,  ///< sends requests or completions between devices below it up to the root
  passes,     ///< redirects nothing, or lacks the capability
  hidden,     ///< only the first bytes are readable
  damaged,    ///< no PCI Express configuration space
};
/// `bytes`: content of /sys/bus/pci/devices/<address>/config.
Acs acs_of(std::string_view bytes);

}  // namespace gpugauge::stack
