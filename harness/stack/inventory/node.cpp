#include "stack/inventory/node.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "result/build.hpp"
#include "stack/inventory/gpus.hpp"
#include "stack/inventory/overview.hpp"

namespace gpugauge::stack {
namespace {

constexpr const char* source = "driver";
constexpr const char* how = "the process that asked it";

}  // namespace

Inventory files_of_node(const Context& context) {
  Inventory inventory;
  collect_driver(context, inventory);
  collect_kernel_log(context, inventory);
  add_pci_functions(context.tree, inventory);
  collect_toolkits(context, inventory);
  collect_libraries(context, inventory);
  collect_machine(context, inventory);
  collect_container(context, inventory);
  return inventory;
}

Inventory with_report(Inventory inventory, const GpuReport& report) {
  const auto add = [&](const std::string& key, const std::string& value) {
    if (!value.empty()) inventory.present(key, value, source, how);
  };
  // Libraries that were opened are more reliable than a prediction of the loader.
  add("driver.version", report.driver_version);
  add("driver.kernel_module_version", report.kernel_module_version);
  add("driver.kernel_module_kind", report.kernel_module_kind);
  add("driver.libcuda_path", report.libcuda_path);
  add("driver.libcuda_version", report.libcuda_version);
  add("driver.cuda_max", report.driver_cuda_version);
  for (const Gpu& gpu : report.gpus) {
    const std::string prefix = fmt::format("gpu.{}.", gpu.index);
    add(prefix + "uuid", gpu.uuid);
    add(prefix + "name", gpu.name);
    add(prefix + "pci", gpu.pci_bus_id);
    add(prefix + "compute_capability", gpu.compute_capability);
    for (const auto& [name, value] : gpu.settings)
      if (name == "ecc" || name == "mig") add(prefix + name, value);
    for (const auto& [name, value] : gpu.told) add(prefix + name, value);
    // Both are of the node; each GPU of it tells them.
    if (const auto mode = gpu.settings.find("confidential_computing"); mode != gpu.settings.end())
      add("driver.confidential_computing", mode->second);
    if (const auto licence = gpu.settings.find("vgpu_licence"); licence != gpu.settings.end()) {
      add("vgpu.guest", "yes");
      add("vgpu.licence", licence->second);
    }
  }
  collect_driver_branch(inventory);
  return inventory;
}

std::vector<Layer> layers(const Inventory& node) {
  std::vector<Layer> out = overview(node);
  const std::string cuda = result::build().cuda;
  const Layer own{"CUDA of this build", cuda.empty() ? "absent" : cuda,
                  cuda.empty()
                      ? "built without CUDA"
                      : fmt::format("linked in; needs driver {} or newer", result::build().minimum_driver)};
  const auto toolkit =
      std::find_if(out.begin(), out.end(), [](const Layer& layer) { return layer.name == "CUDA toolkit"; });
  out.insert(toolkit, own);
  return out;
}

}  // namespace gpugauge::stack
