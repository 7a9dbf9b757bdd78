// Measures the old stack of an upgrade, compares the new one with it, and draws the conclusion.
#include "conductor/upgrade.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/counted.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"

namespace gpugauge::conductor {
namespace {

bool speaks_against(const judge::Verdict& verdict) {
  return !verdict.advisory && grave(verdict);
}

/// True for a cause that names more than the change itself.
bool names_a_mechanism(const diagnose::Finding& finding) {
  return finding.score >= diagnose::confident && finding.cause != "driver_regression" &&
         finding.cause != "stack_upgrade_mixed";
}

/// The evidence against a device, and the other causes found on it.
struct Against {
  const report::DeviceReport* device = nullptr;
  std::size_t verdicts = 0;
  std::vector<const diagnose::Finding*> mechanisms;
};

std::vector<Against> evidence(const std::vector<report::DeviceReport>& devices) {
  std::vector<Against> out;
  for (const report::DeviceReport& device : devices) {
    Against one{&device, 0, {}};
    one.verdicts = static_cast<std::size_t>(
        std::count_if(device.verdicts.begin(), device.verdicts.end(), speaks_against));
    if (one.verdicts == 0) continue;
    if (device.diagnosis)
      for (const diagnose::Finding& finding : device.diagnosis->findings)
        if (names_a_mechanism(finding)) one.mechanisms.push_back(&finding);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::vector<result::Run> fit_rounds(const KeptUpgrade& kept, const UpgradeDevice& device) {
  std::vector<result::Run> out;
  for (KeptRound& one : kept_rounds(kept, UpgradeSide::measuring, device)) {
    try {
      refuse_unfit(one.run);
    } catch (const result::UsageError&) {
      continue;
    }
    out.push_back(std::move(one.run));
  }
  return out;
}

std::string of_several_kinds(const KeptUpgrade& kept, const UpgradeDevice& device) {
  const std::vector<result::Run> runs = fit_rounds(kept, device);
  const std::vector<baseline::Mismatch> fields = baseline::mismatches(runs, runs);
  if (fields.empty()) return "";
  return fmt::format(
      "the rounds of {} that are kept are of more than one kind ({} is {} and {}), and no baseline can hold "
      "them: close the upgrade with `gpugauge upgrade close --reason ...` and begin anew",
      device.label, fields.front().field, fields.front().now, fields.front().then);
}

bool is_old_measured(const KeptUpgrade& kept, const UpgradeDevice& device) {
  std::error_code error;
  return std::filesystem::exists(side_folder(kept, UpgradeSide::old_stack, device) / "baseline.json", error);
}

std::string measure_old(const KeptUpgrade& kept, const UpgradeDevice& device, const MeasureOptions& options,
                        const Target& target, const Choice& choice, const stack::GpuReport& gpus) {
  if (is_old_measured(kept, device)) return "";
  MeasureOptions into = options;
  into.runs_folder = side_folder(kept, UpgradeSide::measuring, device);
  const auto refuse_several_kinds = [&] {
    if (const std::string why = of_several_kinds(kept, device); !why.empty()) throw result::UsageError(why);
  };
  refuse_several_kinds();
  const auto have = static_cast<int>(fit_rounds(kept, device).size());
  const Rounds rounds = measure_rounds(into, target, choice, gpus, have + 1, kept.record.rounds, true);
  if (rounds.unfit)
    throw result::UsageError(fmt::format(
        "{}; the whole rounds are kept: `gpugauge upgrade begin --resume` goes on", rounds.stopped));
  if (!rounds.stopped.empty()) return rounds.stopped;
  refuse_several_kinds();
  baseline::create(side_folder(kept, UpgradeSide::old_stack, device),
                   fmt::format("{}-{}", kept.record.name, device.selection), fit_rounds(kept, device),
                   baseline::State::candidate);
  std::error_code error;
  std::filesystem::remove_all(into.runs_folder, error);
  return rounds.stopped_by.empty()
             ? ""
             : fmt::format("{} asked to stop when {} was measured", rounds.stopped_by, device.label);
}

std::string of_another_host(const UpgradeRecord& record, const HostHere& here) {
  if (record.host.empty() || here.name.empty() || record.host == here.name) return "";
  const bool told_by_its_card =
      std::any_of(record.devices.begin(), record.devices.end(), [](const UpgradeDevice& device) {
        return result::device_kind(device.selection) == result::DeviceKind::gpu;
      });
  const bool may_be_this_machine =
      record.machine.empty() || here.machine.empty() || record.machine == here.machine;
  if (told_by_its_card && may_be_this_machine) return "";
  return fmt::format(
      "upgrade {} was begun on the host {}, and this is {}: go on with it there, or, where it is that "
      "machine "
      "under another name, with `gpugauge upgrade end --anyway`; a host that shares its state folder with "
      "others takes one of its own for its upgrades, --state-dir",
      record.name, record.host, here.name);
}

std::string not_there(const UpgradeRecord& record, const stack::GpuReport& gpus) {
  if (gpus.state != stack::GpuState::usable) return "";
  const auto is_there = [&](const UpgradeDevice& device) {
    return result::device_kind(device.selection) != result::DeviceKind::gpu ||
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
  return baseline::load(side_folder(kept, UpgradeSide::old_stack, device));
}

std::vector<std::string> changed_fields(const result::Fingerprint& now, const result::Fingerprint& then) {
  std::set<std::string> words;
  for (const baseline::Mismatch& field : baseline::mismatches(now, then)) {
    if (!field.field.starts_with("stack.")) continue;
    words.insert(field.field.substr(0, field.field.find('.', std::string_view("stack.").size())));
  }
  return {words.begin(), words.end()};
}

report::DeviceReport judge_upgrade(const std::vector<result::Run>& old_runs, const CountedRounds& after,
                                   const std::vector<std::string>& changes, judge::Policy policy, bool strict,
                                   const std::string& once_more, const SeenNode& node) {
  if (old_runs.empty() || after.rounds.empty())
    throw result::UsageError("there is no whole round of one of the two stacks: nothing can be compared");
  const std::vector<result::Run> runs = runs_of(after.rounds);
  for (std::string& word : changed_fields(runs.back().fingerprint, old_runs.front().fingerprint))
    policy.treatment.push_back(std::move(word));
  report::DeviceReport device = judge_sides(old_runs, runs, policy, strict, once_more, node);
  std::vector<std::string> remarks = changes;
  remarks.insert(remarks.end(), after.left_out.begin(), after.left_out.end());
  device.remarks.insert(device.remarks.begin(), remarks.begin(), remarks.end());
  for (const KeptRound& one : after.rounds) {
    device.seconds += one.run.wall_seconds;
    device.files.push_back(one.file);
  }
  return device;
}

std::vector<std::string> layers_to_come(const stack::StackChange& change) {
  using State = stack::LayerChange::State;
  std::vector<std::string> out;
  for (const stack::LayerChange& layer : change.layers) {
    if (layer.state == State::reached || layer.state == State::other) return {};
    if (layer.state == State::unchanged || layer.state == State::back || layer.state == State::partly)
      out.push_back(layer.layer);
  }
  return out;
}

std::string not_restarted(const stack::Inventory& before, const stack::Inventory& now) {
  const auto libraries = [](const stack::Inventory& side) {
    if (side.has("driver.libnvml_version")) return side.value("driver.libnvml_version");
    const bool forward = side.value("driver.libcuda_path").find("compat") != std::string::npos;
    return forward ? "" : side.value("driver.libcuda_version");
  };
  const std::string key = "driver.kernel_module_version";
  const std::string module = now.value(key);
  const std::string found = libraries(now);
  if (module.empty() || found.empty() || found == "unknown" || module == found) return "";
  if (module == before.value(key) && found == libraries(before)) return "";
  return module == before.value(key)
             ? fmt::format(
                   "the kernel module that is loaded is still {}, while the driver's libraries are {}: "
                   "restart the machine, or unload and load the nvidia modules, and run `gpugauge "
                   "upgrade end` once more",
                   module, found)
             : fmt::format(
                   "the kernel module that is loaded is {}, while the driver's libraries are {}: both "
                   "must be of one version; mend that, and run `gpugauge upgrade end` once more",
                   module, found);
}

std::string nothing_to_judge(const stack::StackChange& change) {
  if (!change.changed())
    return "nothing changed: the stack is what `upgrade begin` recorded, so that there is nothing to "
           "compare; --anyway measures it all the same";
  const std::vector<std::string> missing = layers_to_come(change);
  if (missing.empty()) return "";
  return fmt::format(
      "the planned change did not take place: {}; something else changed; --anyway judges that",
      fmt::join(missing, ", "));
}

UpgradeConclusion conclude(const std::vector<report::DeviceReport>& devices,
                           const stack::StackChange& change) {
  UpgradeConclusion out;
  const bool several = devices.size() > 1;
  std::size_t unexplained = 0;
  std::vector<std::string> where;
  std::vector<std::string> causes;
  std::vector<std::string> next;
  for (const Against& one : evidence(devices)) {
    if (one.mechanisms.empty()) {
      unexplained += one.verdicts;
      where.push_back(one.device->label);
    }
    for (const diagnose::Finding* finding : one.mechanisms) {
      out.causes.push_back({one.device->selection, finding->cause});
      causes.push_back(several ? fmt::format("{} ({})", finding->cause, one.device->label) : finding->cause);
      next.insert(next.end(), finding->next.begin(), finding->next.end());
    }
  }
  out.roll_back = unexplained > 0;
  if (out.roll_back) {
    out.sentences.push_back(fmt::format(
        "{} against the new stack{}, and nothing else was found that explains {}: go back, then measure once "
        "more with `gpugauge upgrade end` (A/B/A), which tells the change from a drift of the machine.",
        result::counted(unexplained, "verdict"), several ? fmt::format(" on {}", fmt::join(where, ", ")) : "",
        unexplained == 1 ? "it" : "them"));
    if (const std::vector<std::string> unplanned = change.unplanned(); !unplanned.empty())
      out.sentences.push_back(fmt::format(
          "Nobody planned the change of {}, and these data cannot tell its effect from that of the "
          "plan: take it back first, alone, and measure again.",
          fmt::join(unplanned, ", ")));
  }
  if (causes.empty()) return out;
  out.sentences.push_back(
      out.roll_back
          ? fmt::format("Beside that, what can be mended without going back: {}.", fmt::join(causes, ", "))
          : fmt::format("A cause was found that can be mended without going back: {}. Mend it and "
                        "measure again with `gpugauge upgrade end`; go back if that does not help.",
                        fmt::join(causes, ", ")));
  if (!next.empty()) out.sentences.push_back("Next: " + next.front());
  return out;
}

}  // namespace gpugauge::conductor
