#include "stack/inventory/image.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gpugauge::stack {
namespace {

/// True for keys in /proc, /sys and /dev, and for answers of the driver.
bool is_of_a_running_machine(std::string_view key) {
  constexpr std::array keys{std::string_view{"driver.kernel_module_version"},
                            std::string_view{"driver.kernel_module_kind"},
                            std::string_view{"driver.gsp"},
                            std::string_view{"driver.module_for_running_kernel"},
                            std::string_view{"driver.nouveau"},
                            std::string_view{"driver.uvm"},
                            std::string_view{"driver.peermem"},
                            std::string_view{"driver.gdrcopy"},
                            std::string_view{"driver.device_nodes"},
                            std::string_view{"driver.secure_boot"},
                            std::string_view{"driver.module_parameters"},
                            std::string_view{"driver.kernel_aslr"},
                            std::string_view{"topology.nvswitch"},
                            std::string_view{"pci"},
                            std::string_view{"vgpu.guest"},
                            std::string_view{"kernel.version"},
                            std::string_view{"kernel.command_line"},
                            std::string_view{"host.virtualization"},
                            std::string_view{"host.cpu_model"},
                            std::string_view{"host.cpus"},
                            std::string_view{"host.cpus_allowed"},
                            std::string_view{"host.governor"},
                            std::string_view{"host.numa_nodes"},
                            std::string_view{"host.memory_gib"},
                            std::string_view{"host.cgroup_cpu_limit"},
                            std::string_view{"host.cgroup_memory_mib"},
                            std::string_view{"host.iommu"},
                            std::string_view{"host.acs"},
                            std::string_view{"host.infiniband"}};
  constexpr std::array prefixes{std::string_view{"gpu."},         std::string_view{"pci."},
                                std::string_view{"cuda.init."},   std::string_view{"nvml."},
                                std::string_view{"cuda.devices"}, std::string_view{"driver_child."},
                                std::string_view{"kernel_log."}};
  return std::find(keys.begin(), keys.end(), key) != keys.end() ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return key.starts_with(prefix); });
}

}  // namespace

bool is_image(const Inventory& inventory) {
  const std::string root = inventory.value("collected.root");
  return !root.empty() && root != "/" && !inventory.has("kernel.version");
}

void mark_running_only(Inventory& inventory) {
  if (!is_image(inventory)) return;
  const std::vector<Item> items = inventory.items();
  for (const Item& item : items) {
    if (item.presence == Presence::absent && is_of_a_running_machine(item.key))
      inventory.absent(item.key, item.source, "only a running machine has it");
  }
}

}  // namespace gpugauge::stack
