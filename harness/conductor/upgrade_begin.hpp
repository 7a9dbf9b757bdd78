// What `gpugauge upgrade begin` does: records the stack and what goes back to it, and measures every device of
// the old side.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conductor/upgrade.hpp"
#include "stack/plan/plan.hpp"

namespace gpugauge::conductor {

/// What an upgrade begins with.
struct UpgradeBegin {
  /// What was asked for: target, root, device, profile, families, only, rounds, process_limit. record_upgrade()
  /// sets the rest.
  UpgradeRecord asked;
  stack::Inventory before;                ///< the stack that is to be changed
  stack::PlanRequest request;             ///< asked.target, read; without versions there is no plan
  std::optional<stack::PlanReport> plan;  ///< whether that works here; nullopt where there is no plan
};

/// True if the driver that is asked for is too old for a build that needs `minimum_driver`
/// (result::Build::minimum_driver), which then could not measure the new side.
bool too_old_for_build(const stack::PlanRequest& asked, const std::string& minimum_driver);

/// Records a new upgrade of these devices: names it by the time, notes who begins it on which host, and writes
/// its folder, all of it or nothing. Removes what killed commands left in earlier folders. Throws
/// result::FileError.
KeptUpgrade record_upgrade(const std::filesystem::path& state_directory, const UpgradeBegin& begin,
                           const HostHere& here, const std::vector<Target>& devices);

/// What to do before the change: stack::advice_before(), and how pip is kept to the recorded wheels where the
/// record holds any.
std::vector<stack::Advice> advice_before(const KeptUpgrade& kept, const stack::Inventory& before,
                                         const stack::PlanRequest& request);

/// Measures the old side of every device of the record (measure_old()); calls `device_done` after each.
/// Returns "", or why it ended early. Throws like measure_old(), and result::UsageError for a device that is
/// not among the `chosen`.
std::string measure_old_sides(const KeptUpgrade& kept, const MeasureOptions& options,
                              const std::vector<Chosen>& chosen, const stack::GpuReport& gpus,
                              const std::function<void()>& device_done);

}  // namespace gpugauge::conductor
