#include "conductor/upgrade.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/kept_file.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"

namespace gpugauge::conductor {
namespace {

std::filesystem::path side_folder(const KeptUpgrade& kept, const std::string& side,
                                  const UpgradeDevice& device) {
  return kept.folder / side / device.selection;
}

bool speaks_against(const judge::Verdict& verdict) {
  return !verdict.advisory && grave(verdict);
}

/// A cause that does more than blame the change itself.
bool names_a_mechanism(const diagnose::Finding& finding) {
  return finding.score >= diagnose::confident && finding.cause != "driver_regression" &&
         finding.cause != "stack_upgrade_mixed";
}

}  // namespace

std::vector<result::Run> fit_rounds(const KeptUpgrade& kept, const UpgradeDevice& device) {
  std::vector<result::Run> out;
  for (result::Run& run : kept_rounds(kept, "measuring", device)) {
    try {
      refuse_unfit(run);
    } catch (const result::UsageError&) {
      continue;
    }
    out.push_back(std::move(run));
  }
  return out;
}

std::vector<result::Run> kept_rounds(const KeptUpgrade& kept, const std::string& side,
                                     const UpgradeDevice& device) {
  std::vector<result::Run> out;
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(side_folder(kept, side, device), error), end;
       !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    baseline::refuse_links_in_state(file);
    result::Run run = result::read_run(file);
    if (run.complete) out.push_back(std::move(run));
  }
  std::sort(out.begin(), out.end(), [](const result::Run& a, const result::Run& b) {
    return std::pair(a.started, a.id) < std::pair(b.started, b.id);
  });
  return out;
}

bool is_old_measured(const KeptUpgrade& kept, const UpgradeDevice& device) {
  std::error_code error;
  return std::filesystem::exists(side_folder(kept, "old", device) / "baseline.json", error);
}

std::string measure_old(const KeptUpgrade& kept, const UpgradeDevice& device, const MeasureOptions& options,
                        const Target& target, const Choice& choice, const stack::GpuReport& gpus) {
  if (is_old_measured(kept, device)) return "";
  MeasureOptions into = options;
  into.runs_folder = side_folder(kept, "measuring", device);
  const auto have = static_cast<int>(fit_rounds(kept, device).size());
  const Rounds rounds = measure_rounds(into, target, choice, gpus, have + 1, kept.record.rounds, true);
  if (rounds.unfit)
    throw result::UsageError(fmt::format(
        "{}; the whole rounds are kept: `gpugauge upgrade begin --resume` goes on", rounds.stopped));
  if (!rounds.stopped.empty()) return rounds.stopped;
  baseline::create(side_folder(kept, "old", device), fmt::format("{}-{}", kept.record.name, device.selection),
                   fit_rounds(kept, device), baseline::State::candidate);
  std::error_code error;
  std::filesystem::remove_all(into.runs_folder, error);
  return rounds.stopped_by.empty()
             ? ""
             : fmt::format("{} asked to stop when {} was measured", rounds.stopped_by, device.label);
}

std::string not_there(const UpgradeRecord& record, const stack::GpuReport& gpus) {
  if (gpus.state != stack::GpuState::usable) return "";
  const auto is_there = [&](const UpgradeDevice& device) {
    return device.selection == "host" || device.selection == "links" ||
           std::any_of(gpus.gpus.begin(), gpus.gpus.end(),
                       [&](const stack::Gpu& gpu) { return gpu.uuid == device.selection; });
  };
  const auto lost = std::find_if_not(record.devices.begin(), record.devices.end(), is_there);
  if (lost == record.devices.end()) return "";
  std::vector<std::string> present;
  for (const stack::Gpu& gpu : gpus.gpus)
    present.push_back(fmt::format("GPU {} {} ({})", gpu.index, gpu.name, gpu.uuid));
  return fmt::format("{} is not there; there {} {}", lost->label, present.size() == 1 ? "is" : "are",
                     fmt::join(present, ", "));
}

baseline::Baseline old_side(const KeptUpgrade& kept, const UpgradeDevice& device) {
  return baseline::load(side_folder(kept, "old", device));
}

std::vector<std::string> changed_fields(const result::Fingerprint& now, const result::Fingerprint& then) {
  std::set<std::string> words;
  for (const baseline::Mismatch& field : baseline::mismatches(now, then)) {
    if (!field.field.starts_with("stack.")) continue;
    words.insert(field.field.substr(0, field.field.find('.', std::string_view("stack.").size())));
  }
  return {words.begin(), words.end()};
}

report::DeviceReport judge_upgrade(const std::vector<result::Run>& old_runs,
                                   const std::vector<result::Run>& new_runs,
                                   const std::vector<std::string>& changes, judge::Policy policy,
                                   bool strict) {
  if (old_runs.empty() || new_runs.empty())
    throw result::UsageError("there is no whole round of one of the two stacks: nothing can be compared");
  std::vector<result::Run> after;
  for (const result::Run& run : new_runs)
    if (baseline::mismatches(run.fingerprint, new_runs.back().fingerprint).empty()) after.push_back(run);
  for (std::string& word : changed_fields(after.back().fingerprint, old_runs.front().fingerprint))
    policy.treatment.push_back(std::move(word));
  report::DeviceReport device = judge_sides(old_runs, after, policy, strict);
  std::vector<std::string> remarks = changes;
  if (after.size() < new_runs.size())
    remarks.push_back(fmt::format("Left out: {} of the new stack as it was then; it was changed again since.",
                                  result::counted(new_runs.size() - after.size(), "round")));
  device.remarks.insert(device.remarks.begin(), remarks.begin(), remarks.end());
  for (const result::Run& run : after) device.seconds += run.wall_seconds;
  return device;
}

UpgradeConclusion conclude(const std::vector<report::DeviceReport>& devices,
                           const stack::StackChange& change) {
  UpgradeConclusion out;
  std::size_t against = 0;
  std::vector<std::string> causes;
  std::vector<std::string> next;
  for (const report::DeviceReport& device : devices) {
    against += static_cast<std::size_t>(
        std::count_if(device.verdicts.begin(), device.verdicts.end(), speaks_against));
    if (!device.diagnosis) continue;
    for (const diagnose::Finding& finding : device.diagnosis->findings) {
      if (!names_a_mechanism(finding) ||
          std::find(causes.begin(), causes.end(), finding.cause) != causes.end())
        continue;
      causes.push_back(finding.cause);
      next.insert(next.end(), finding.next.begin(), finding.next.end());
    }
  }
  if (against == 0) return out;
  if (!causes.empty()) {
    out.sentences.push_back(
        fmt::format("A cause was found that can be mended without going back: {}. Mend it and measure again "
                    "with `gpugauge upgrade end`; go back if that does not help.",
                    fmt::join(causes, ", ")));
    if (!next.empty()) out.sentences.push_back("Next: " + next.front());
    return out;
  }
  out.roll_back = true;
  out.sentences.push_back(fmt::format(
      "{} against the new stack, and nothing else was found that explains it: go back, then measure once "
      "more with `gpugauge upgrade end` (A/B/A), which tells the change from a drift of the machine.",
      result::counted(against, "verdict")));
  if (const std::vector<std::string> unplanned = change.unplanned(); !unplanned.empty())
    out.sentences.push_back(
        fmt::format("Nobody planned the change of {}, and these data cannot tell its effect from that of the "
                    "plan: take it back first, alone, and measure again.",
                    fmt::join(unplanned, ", ")));
  return out;
}

}  // namespace gpugauge::conductor
