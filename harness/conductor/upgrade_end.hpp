// What `gpugauge upgrade end` does with the open upgrade: decides whose rounds it measures, measures them,
// judges both sides, and notes in the record how it ended. What follows from the verdict: upgrade_follow.hpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conductor/upgrade.hpp"
#include "judge/policy_reach.hpp"

namespace gpugauge::conductor {

/// What one `upgrade end` works with.
struct UpgradeEnd {
  KeptUpgrade kept;            ///< the open upgrade
  stack::Inventory before;     ///< as `upgrade begin` recorded it
  stack::Inventory now;        ///< read like that one
  stack::PlanRequest request;  ///< what was planned; without versions there was no plan
  stack::StackChange change;   ///< from `before` to `now`, held against the plan
  /// Whose rounds are measured: new_stack, or returned after going back.
  UpgradeSide side = UpgradeSide::new_stack;
  int attempt = 0;  ///< of the record, from 1; 0 where nothing is measured
};

/// Sets `side`. Returns "", or why nothing is to be measured, as a clause: the driver is only half in use, or
/// nothing (or not what was planned) changed. `anyway` measures in the latter case all the same. Throws like
/// kept_rounds().
std::string choose_side(UpgradeEnd& end, bool anyway);

/// What the record measures, on the devices that are there: choose_for(), where a word need not select
/// something on each of them. Throws like choose_for().
std::vector<Chosen> choose_as_begun(const UpgradeRecord& record, const Catalogue& catalogue,
                                    const run::Profile& profile, std::vector<Target> targets);

/// Measures the rounds that the side still lacks, device after device, in an attempt that is noted first
/// (begin_attempt(), with `now` as its stack). Calls `device_done` after each device. Returns "", or why it
/// stopped; a signal during the last device ends the measuring and no more. Throws like measure_rounds().
std::string measure_end(UpgradeEnd& end, const std::vector<Chosen>& chosen, MeasureOptions options,
                        const stack::GpuReport& gpus, const std::function<void()>& device_done);

/// Judges every device of the record, and what they show together. The report has no host and no stack yet.
/// A device of which this attempt has no round is refused: throws like judge_upgrade(), old_side() and
/// read_inventory().
report::Report judge_end(const UpgradeEnd& end, const judge::Policy& policy, bool strict);

/// The metrics of the old side of every device. The new side is measured like it, so that this tells what a
/// policy can reach before anything is measured. Throws like old_side().
judge::SeenMetrics old_metrics(const KeptUpgrade& kept);

}  // namespace gpugauge::conductor
