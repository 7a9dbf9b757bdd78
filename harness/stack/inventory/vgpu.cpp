// vgpu.version, vgpu.host_version: the vGPU software release of this driver.
#include <fmt/format.h>

#include "stack/compat/tables.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/inventory/words.hpp"

namespace gpugauge::stack {

void collect_vgpu(Inventory& inventory) {
  const bool guest = inventory.value("vgpu.guest") == "yes";
  const bool host = inventory.value("vgpu.host") == "yes";
  if (!guest && !host) return;
  const std::string driver = inventory.value("driver.version");
  const auto version = Version::parse(driver);
  const VgpuRelease* const row = version ? tables().vgpu_release(*version) : nullptr;
  const char* const key = "vgpu.version";
  if (row != nullptr) {
    inventory.present(
        key, std::to_string(row->release), "driver.version",
        fmt::format("driver branch {}{}", row->branch, row->source.read ? "" : " (not confirmed)"));
  } else {
    inventory.absent(
        key, "driver.version",
        version ? fmt::format("the tables know no vGPU release of driver branch {}", version->major())
                : "no driver version is known");
  }
  // NVML tells a host its guests' drivers, but tells a guest nothing about its host.
  if (guest)
    inventory.unreadable(
        "vgpu.host_version", "nvml",
        fmt::format("{} (then: doctor --plan driver=...,vgpu_host=...)", look_from_the_host));
}

}  // namespace gpugauge::stack
