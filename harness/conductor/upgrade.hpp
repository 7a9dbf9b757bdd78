// Both ends of an upgrade: the old stack measured, the new one measured and compared.
#pragma once

#include <string>
#include <vector>

#include "conductor/host_identity.hpp"
#include "conductor/rounds.hpp"
#include "conductor/upgrade_attempts.hpp"
#include "conductor/upgrade_record.hpp"
#include "stack/plan/pins.hpp"

namespace gpugauge::conductor {

/// Of the rounds of the old stack measured so far those that can be part of a baseline: one that was refused
/// is measured again.
std::vector<result::Run> fit_rounds(const KeptUpgrade& kept, const UpgradeDevice& device);

/// Why those can never make a baseline together, in a clause with what to do; "" where they can.
std::string of_several_kinds(const KeptUpgrade& kept, const UpgradeDevice& device);

/// Why an upgrade is another host's, in a sentence; "" where it is this one's. A name that changed makes no
/// other host where the machine is the same, or cannot be told, and a GPU was measured: not_there tells that
/// one by its UUID. Without a GPU cloned images, which share a machine id, are told by their names alone.
std::string of_another_host(const UpgradeRecord& record, const HostHere& here);

/// Which measured GPU is not among the usable ones of now (another card stands in its place, or it is lost),
/// in a sentence; "" where none is missing, or no GPU can be used at all.
std::string not_there(const UpgradeRecord& record, const stack::GpuReport& gpus);

/// Measures what is still missing of a device's rounds of the old stack, and pins them as a baseline folder
/// once they are all there. "" or why it stopped. Throws like refuse_unmeasured and baseline::create, and
/// result::UsageError where a round could be no part of a baseline.
std::string measure_old(const KeptUpgrade& kept, const UpgradeDevice& device, const MeasureOptions& options,
                        const Target& target, const Choice& choice, const stack::GpuReport& gpus);
/// The pinned old side. Throws like baseline::load.
baseline::Baseline old_side(const KeptUpgrade& kept, const UpgradeDevice& device);
/// Whether the old side is pinned: its baseline folder has a manifest.
bool is_old_measured(const KeptUpgrade& kept, const UpgradeDevice& device);

/// Compares the new stack's rounds with the old one's: every field of the stack that differs is the
/// treatment. `changes` are said first, then what was left out. Throws result::UsageError when one of the two
/// sides has no round.
report::DeviceReport judge_upgrade(const std::vector<result::Run>& old_runs, const CountedRounds& after,
                                   const std::vector<std::string>& changes, judge::Policy policy,
                                   bool strict);

/// The fields of the stack by which two fingerprints differ, as words of --treatment: "stack.driver".
std::vector<std::string> changed_fields(const result::Fingerprint& now, const result::Fingerprint& then);

/// Why there is nothing to measure after a change, a clause; "" where there is.
std::string nothing_to_judge(const stack::StackChange& change);
/// The layers that were to change and did not; of a plan of which nothing took place.
std::vector<std::string> layers_to_come(const stack::StackChange& change);

/// What to do about a verdict on the new stack.
struct UpgradeConclusion {
  bool roll_back = false;            ///< the evidence is against the new stack itself
  std::vector<UpgradeCause> causes;  ///< what can be mended without going back
  /// what to do, in this order; empty where nothing speaks against the new stack
  std::vector<std::string> sentences;
};
/// Going back is advised where on one of the devices a metric that counts regressed, failed or vanished, and
/// no cause beside the change was found with confidence on that device.
UpgradeConclusion conclude(const std::vector<report::DeviceReport>& devices,
                           const stack::StackChange& change);

}  // namespace gpugauge::conductor
