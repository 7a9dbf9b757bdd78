// What follows from the verdict of `gpugauge upgrade end`.
#pragma once

#include <string>
#include <vector>

#include "conductor/upgrade_record.hpp"
#include "report/summary.hpp"
#include "report/terminal.hpp"
#include "stack/plan/change.hpp"
#include "stack/plan/pins.hpp"

namespace gpugauge::cli {

/// What one `upgrade end` works with.
struct Upgrade {
  conductor::KeptUpgrade kept;  ///< the open upgrade
  stack::Inventory before;      ///< as `upgrade begin` recorded it
  stack::Inventory now;         ///< read like that one
  stack::PlanRequest request;   ///< what was planned
  stack::StackChange change;    ///< from `before` to `now`, held against the plan
  /// Whose rounds are measured: new_stack, or returned after going back.
  conductor::UpgradeSide side = conductor::UpgradeSide::new_stack;
  int attempt = 0;  ///< of the record, from 1; 0 where nothing is measured
};

/// The commands that go back from what is there now.
std::vector<stack::Advice> way_back_of(const Upgrade& upgrade);

/// What is said below the report, and what becomes of the record.
struct Followed {
  std::vector<stack::Advice> way_back;                            ///< where going back is advised
  std::vector<conductor::UpgradeCause> causes;                    ///< what can be mended without going back
  std::vector<conductor::UpgradeFinding> findings;                ///< what going back told of the change
  std::string text;                                               ///< what to do
  conductor::UpgradeState state = conductor::UpgradeState::open;  ///< of the record from now on
  std::string last;                                               ///< whether it is closed, and why not
};
/// `report` is of the side that was measured, its devices with the files of the judged rounds.
Followed follow(const Upgrade& upgrade, const report::Report& report, const report::Terminal& terminal);

}  // namespace gpugauge::cli
