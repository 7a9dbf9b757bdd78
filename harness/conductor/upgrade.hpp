// Both ends of an upgrade: the old stack measured, the new one measured and compared.
#pragma once

#include <string>
#include <vector>

#include "conductor/rounds.hpp"
#include "conductor/upgrade_record.hpp"
#include "stack/plan/pins.hpp"

namespace gpugauge::conductor {

/// The whole rounds of a device in one of an upgrade's folders ("new", "returned", "measuring"), oldest
/// first. Partial ones are left out. Throws result::FormatError for a file that is no run.
std::vector<result::Run> kept_rounds(const KeptUpgrade& kept, const std::string& side,
                                     const UpgradeDevice& device);

/// Of the rounds of the old stack measured so far those that can be part of a baseline: one that was refused
/// is measured again.
std::vector<result::Run> fit_rounds(const KeptUpgrade& kept, const UpgradeDevice& device);

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
/// treatment. Rounds of another state of the new stack than the latest one's are left out, and said.
/// `changes` are said first. Throws result::UsageError when one of the two sides has no round.
report::DeviceReport judge_upgrade(const std::vector<result::Run>& old_runs,
                                   const std::vector<result::Run>& new_runs,
                                   const std::vector<std::string>& changes, judge::Policy policy,
                                   bool strict);

/// The fields of the stack by which two fingerprints differ, as words of --treatment: "stack.driver".
std::vector<std::string> changed_fields(const result::Fingerprint& now, const result::Fingerprint& then);

/// What to do about a verdict on the new stack.
struct UpgradeConclusion {
  bool roll_back = false;  ///< the evidence is against the new stack itself
  /// what to do, in this order; empty where nothing speaks against the new stack
  std::vector<std::string> sentences;
};
/// Going back is advised where a metric that counts regressed, failed or vanished, and no cause beside the
/// change was found with confidence.
UpgradeConclusion conclude(const std::vector<report::DeviceReport>& devices,
                           const stack::StackChange& change);

}  // namespace gpugauge::conductor
