// Both ends of an upgrade: measures the old stack, then measures the new one and compares them.
#pragma once

#include <string>
#include <vector>

#include "conductor/host_identity.hpp"
#include "conductor/rounds.hpp"
#include "conductor/upgrade_attempts.hpp"
#include "conductor/upgrade_record.hpp"
#include "stack/plan/pins.hpp"

namespace gpugauge::conductor {

/// The measured rounds of the old stack that can be part of a baseline. Refused rounds are left out and
/// measured again.
std::vector<result::Run> fit_rounds(const KeptUpgrade& kept, const UpgradeDevice& device);

/// Why those rounds can never form one baseline, as a clause with what to do; "" where they can.
std::string of_several_kinds(const KeptUpgrade& kept, const UpgradeDevice& device);

/// Why an upgrade belongs to another host, as a sentence; "" where it belongs to this one. A changed name
/// alone is not enough if a GPU was measured and the machine is the same or unknown. not_there() then checks
/// the GPU's UUID. Without a GPU the name decides, because cloned images share a machine id.
std::string of_another_host(const UpgradeRecord& record, const HostHere& here);

/// Which measured GPU is not usable now, because it was replaced or lost, as a sentence. "" where none is
/// missing or no GPU is usable at all.
std::string not_there(const UpgradeRecord& record, const stack::GpuReport& gpus);

/// Measures the missing rounds of a device's old stack, and pins them as a baseline folder once all exist.
/// Returns "" or why it stopped. Throws like refuse_unmeasured() and baseline::create(), and
/// result::UsageError for a round that cannot be part of a baseline.
std::string measure_old(const KeptUpgrade& kept, const UpgradeDevice& device, const MeasureOptions& options,
                        const Target& target, const Choice& choice, const stack::GpuReport& gpus);
/// Loads the pinned old side. Throws like baseline::load().
baseline::Baseline old_side(const KeptUpgrade& kept, const UpgradeDevice& device);
/// True when the old side is pinned: its baseline folder has a manifest.
bool is_old_measured(const KeptUpgrade& kept, const UpgradeDevice& device);

/// Compares the new stack's rounds with the old ones; every stack field that differs is the treatment. The
/// remarks start with `changes`, then list the rounds left out. `once_more` is that of
/// judge::judge_before_after, `node` that of observe(). Throws result::UsageError when either side has no
/// round.
report::DeviceReport judge_upgrade(const std::vector<result::Run>& old_runs, const CountedRounds& after,
                                   const std::vector<std::string>& changes, judge::Policy policy, bool strict,
                                   const std::string& once_more = "", const SeenNode& node = {});

/// The stack fields that differ between two fingerprints, as words of --treatment: "stack.driver".
std::vector<std::string> changed_fields(const result::Fingerprint& now, const result::Fingerprint& then);

/// Why a driver that was changed since `before` is only half in use, as a clause with what to do: its libraries
/// are of another version than the loaded kernel module. "" where they agree, a side is not known, or it was so
/// before. A forward-compatibility libcuda is no library of the driver.
std::string not_restarted(const stack::Inventory& before, const stack::Inventory& now);
/// Why a change leaves nothing to measure, as a clause; "" where there is something to measure.
std::string nothing_to_judge(const stack::StackChange& change);
/// The planned layers that did not change, for a plan of which nothing was carried out.
std::vector<std::string> layers_to_come(const stack::StackChange& change);

/// What to do about a verdict on the new stack.
struct UpgradeConclusion {
  bool roll_back = false;            ///< true: the evidence is against the new stack itself
  std::vector<UpgradeCause> causes;  ///< causes that can be fixed without going back
  /// What to do, in this order; empty where nothing speaks against the new stack.
  std::vector<std::string> sentences;
};
/// Advises to go back where a counting metric of a device regressed, failed or vanished. It does not where
/// another cause than the change was found with confidence on that device.
UpgradeConclusion conclude(const std::vector<report::DeviceReport>& devices,
                           const stack::StackChange& change);

}  // namespace gpugauge::conductor
