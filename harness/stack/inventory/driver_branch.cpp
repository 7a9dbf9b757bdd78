// driver_branch.*: what this build's tables say about the driver's branch.
#include <fmt/format.h>

#include "stack/compat/tables.hpp"
#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {
namespace {

void add_of_branch(Inventory& inventory, const std::string& key, const std::string& value,
                   const DriverBranch& branch) {
  const std::string source =
      fmt::format("table of driver branches{}", branch.source.read ? "" : " (not confirmed)");
  if (value.empty())
    inventory.absent(key, source, "the table does not tell");
  else
    inventory.present(key, value, source, branch.source.text);
}

}  // namespace

void collect_driver_branch(Inventory& inventory) {
  // In WSL the number is that of the Windows driver, from another series.
  if (inventory.value("driver.libcuda_kind") == "wsl") return;
  const auto version = Version::parse(inventory.value("driver.version"));
  if (!version) return;
  const char* const key = "driver_branch.number";
  const DriverBranch* const branch = tables().branch(*version);
  if (branch == nullptr)
    return inventory.absent(key, "table of driver branches",
                            fmt::format("it has no branch {}", version->major()));
  add_of_branch(inventory, key, std::to_string(branch->branch), *branch);
  add_of_branch(inventory, "driver_branch.kind", branch->kind, *branch);
  // Only dates that NVIDIA states.
  const std::string date = branch->counted ? "" : branch->end_of_life;
  add_of_branch(inventory, "driver_branch.end_of_life", date.empty() && branch->ended ? "ended" : date,
                *branch);
  add_of_branch(inventory, "driver_branch.newest", branch->latest ? branch->latest->text() : "", *branch);
}

}  // namespace gpugauge::stack
