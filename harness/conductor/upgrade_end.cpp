#include "conductor/upgrade_end.hpp"

#include <optional>

#include <fmt/format.h>

#include "baseline/kept_file.hpp"
#include "conductor/going_back.hpp"
#include "conductor/node_fingerprint.hpp"
#include "conductor/outcome.hpp"
#include "conductor/saved_inventory.hpp"
#include "result/file.hpp"
#include "run/identity.hpp"

namespace gpugauge::conductor {
namespace {

/// Of the side that was measured none where this attempt has no round of the device: earlier ones alone say
/// nothing of now.
CountedRounds counted(const UpgradeEnd& end, UpgradeSide side, const UpgradeDevice& device) {
  std::vector<KeptRound> rounds = kept_rounds(end.kept, side, device);
  if (side == end.side && !rounds.empty() && rounds.back().attempt != end.attempt) return {};
  return counted_rounds(std::move(rounds), end.kept.record.attempts, device.selection);
}

/// The rounds of this attempt, device by device.
std::vector<judge::ChecksumSide> measured_now(const UpgradeEnd& end) {
  std::vector<judge::ChecksumSide> out;
  for (const UpgradeDevice& device : end.kept.record.devices) {
    judge::ChecksumSide& side = out.emplace_back(judge::ChecksumSide{device.label, {}});
    for (KeptRound& round : kept_rounds(end.kept, end.side, device))
      if (round.attempt == end.attempt) side.rounds.push_back(std::move(round.run));
  }
  return out;
}

/// The stack as an attempt found it; nullopt where an earlier version kept none.
std::optional<stack::Inventory> stack_of_attempt(const KeptUpgrade& kept, int attempt) {
  const std::filesystem::path file = stack_file(kept, attempt);
  if (!result::is_there(file)) return std::nullopt;
  return read_inventory(file.string());
}

/// The new stack, measured like the old one, against it.
report::DeviceReport judge_new(const UpgradeEnd& end, const UpgradeDevice& device,
                               const judge::Policy& policy, bool strict) {
  return judge_upgrade(old_side(end.kept, device).runs, counted(end, UpgradeSide::new_stack, device),
                       stack::sentences(end.change), policy, strict,
                       "boot it and run `gpugauge upgrade end` once more", {&end.now, &end.before});
}

/// The old stack measured again against the old stack, and the new one, where there was one, against both.
report::DeviceReport judge_returned(const UpgradeEnd& end, const UpgradeDevice& device,
                                    const judge::Policy& policy, bool strict) {
  std::vector<result::Run> old_runs = old_side(end.kept, device).runs;
  const CountedRounds again = counted(end, UpgradeSide::returned, device);
  OldNewOld sides;
  sides.returned = judge_upgrade(old_runs, again, stack::sentences(end.change), policy, strict, "",
                                 {&end.now, &end.before});
  const CountedRounds changed = counted(end, UpgradeSide::new_stack, device);
  if (changed.rounds.empty()) return std::move(sides.returned);
  const auto then = stack_of_attempt(end.kept, changed.rounds.back().attempt);
  const SeenNode node{then ? &*then : nullptr, &end.before};
  sides.changed = judge_upgrade(old_runs, changed, {}, policy, strict, "", node);
  for (result::Run& run : runs_of(again.rounds)) old_runs.push_back(std::move(run));
  sides.between = judge_upgrade(old_runs, changed, {}, policy, strict, "", node);
  std::vector<std::string> first{fmt::format(
      "The new stack against both measurements of the old one (A/B/A): {}.", sides.between.outcome.sentence)};
  auto told = going_back(sides);
  if (told) first.push_back(told->sentence);
  report::DeviceReport out = std::move(sides.returned);
  out.going_back = std::move(told);
  for (const std::string& sentence : changed.left_out) first.push_back("Of the new stack: " + sentence);
  first.emplace_back("Below: the old stack now against the old stack before the change.");
  out.remarks.insert(out.remarks.begin(), first.begin(), first.end());
  return out;
}

}  // namespace

std::string choose_side(UpgradeEnd& end, bool anyway) {
  // What is measured now would be of neither stack, whatever was asked for.
  if (std::string why = not_restarted(end.before, end.now); !why.empty()) return why;
  end.side = UpgradeSide::new_stack;
  // Rounds of the old stack are the old stack's, also where nobody went away from it.
  if (!end.change.changed() && (new_stack_measured(end.kept) || anyway)) {
    end.side = UpgradeSide::returned;
    return "";
  }
  return anyway ? "" : nothing_to_judge(end.change);
}

std::vector<Chosen> choose_as_begun(const UpgradeRecord& record, const Catalogue& catalogue,
                                    const run::Profile& profile, std::vector<Target> targets) {
  for (Target& target : targets) target.implied = true;
  return choose_for(catalogue, profile, targets, record.families, record.only);
}

std::string measure_end(UpgradeEnd& end, const std::vector<Chosen>& chosen, MeasureOptions options,
                        const stack::GpuReport& gpus, const std::function<void()>& device_done) {
  end.attempt = begin_attempt(end.kept, end.side, run::boot_id(), node_fingerprint(gpus));
  baseline::keep_file(stack_file(end.kept, end.attempt), stack::to_json(end.now));
  save(end.kept);
  const int wanted = end.kept.record.rounds;
  std::string stopped;  // a stop ends the measuring, and not the judging of what is whole
  for (const auto& [target, choice] : chosen) {
    if (!stopped.empty()) return stopped;
    const UpgradeDevice device{target.selection, target.label};
    options.runs_folder = attempt_folder(end.kept, end.side, device, end.attempt);
    const int missing = missing_rounds(end.kept, end.side, device, end.attempt);
    const Rounds rounds = measure_rounds(options, target, choice, gpus, wanted - missing + 1, wanted, false);
    device_done();
    if (!rounds.stopped.empty()) return rounds.stopped;
    if (!rounds.stopped_by.empty())
      stopped = fmt::format("{} asked to stop when {} was measured", rounds.stopped_by, target.label);
  }
  return "";
}

report::Report judge_end(const UpgradeEnd& end, const judge::Policy& policy, bool strict) {
  report::Report out;
  out.command = "upgrade";
  for (const UpgradeDevice& device : end.kept.record.devices) {
    out.devices.push_back(end.side == UpgradeSide::returned ? judge_returned(end, device, policy, strict)
                                                            : judge_new(end, device, policy, strict));
    out.devices.back().label = device.label;
    out.devices.back().selection = device.selection;
  }
  // What the devices show together is of now: a card that was put back was lost in an earlier attempt.
  out.node = judge_node(measured_now(end));
  out.outcome = combine(out.devices, out.node);
  return out;
}

judge::SeenMetrics old_metrics(const KeptUpgrade& kept) {
  judge::SeenMetrics out;
  for (const UpgradeDevice& device : kept.record.devices) out.add_measured(old_side(kept, device).runs);
  return out;
}

}  // namespace gpugauge::conductor
