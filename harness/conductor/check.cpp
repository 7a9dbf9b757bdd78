// The check loop: measures, judges, and measures again what is in doubt.
#include <algorithm>
#include <chrono>
#include <set>
#include <span>

#include <fmt/format.h>

#include "conductor/conductor.hpp"
#include "conductor/node_fingerprint.hpp"
#include "conductor/pause.hpp"
#include "conductor/probing.hpp"
#include "result/counted.hpp"

namespace gpugauge::conductor {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Ratio of wall time to the estimate for a run's processes; 1 where nothing was estimated.
double pace_of(const result::Run& run) {
  double wall = 0;
  double expected = 0;
  for (const result::Process& process : run.processes) {
    if (!process.expected_seconds) continue;
    wall += process.wall_seconds;
    expected += *process.expected_seconds;
  }
  return expected > 0 ? wall / expected : 1;
}

/// What the judge wants measured again on several simultaneous devices. All of it is measured on all devices,
/// because each one's numbers depend on what the others do meanwhile.
struct Wanted {
  std::vector<std::string> benchmarks;  ///< sorted
  double pause_seconds = 0;
};

/// State of one device during the rounds.
struct Checked {
  std::vector<result::Run> rounds;
  std::vector<std::filesystem::path> files;
  std::vector<std::string> not_kept;
  baseline::Selection selection;
  bool judged = false;  ///< judged by the selected baseline
};

Wanted wanted_of(std::span<const Checked> devices, const judge::Policy& policy) {
  std::set<std::string> benchmarks;
  Wanted out;
  for (const Checked& device : devices) {
    if (!device.judged) continue;
    const judge::Request request =
        judge::judge_baseline(device.rounds, *device.selection.baseline, policy).request;
    benchmarks.insert(request.benchmarks.begin(), request.benchmarks.end());
    out.pause_seconds = std::max(out.pause_seconds, request.pause_seconds);
  }
  out.benchmarks.assign(benchmarks.begin(), benchmarks.end());
  return out;
}

/// Text for the beginning of a sentence.
std::string the_budget(const CheckOptions& options) {
  std::string out = fmt::format("The time budget of {:.0f} s", options.budget_seconds);
  if (options.spent_seconds >= .5)
    out += fmt::format(", of which other devices took {:.0f} s,", options.spent_seconds);
  return out;
}

}  // namespace

std::vector<report::DeviceReport> check_in_step(const CheckOptions& options,
                                                const std::vector<Target>& targets, const Choice& choice,
                                                const MeasureRound& measure_round) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Checked> devices(targets.size());
  std::string stopped;
  std::string stopped_by;
  bool told_to_stop = false;
  const auto round = [&](const std::vector<std::string>& only) {
    std::vector<Stored> measured = measure_round(static_cast<int>(devices.front().rounds.size()) + 1, only);
    bool whole = true;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      whole = whole && measured.at(i).run.complete;
      if (!measured[i].stopped_by.empty()) stopped_by = measured[i].stopped_by;
      told_to_stop = told_to_stop || !stopped_by.empty();
      devices[i].rounds.push_back(std::move(measured[i].run));
      if (!measured[i].file.empty()) devices[i].files.push_back(std::move(measured[i].file));
      if (!measured[i].not_kept.empty()) devices[i].not_kept.push_back(std::move(measured[i].not_kept));
    }
    if (whole && !stopped_by.empty())
      stopped =
          fmt::format("{} asked to stop when round {} was whole.", stopped_by, devices.front().rounds.size());
    return whole && stopped_by.empty();
  };

  bool going = round({});
  const auto further = std::chrono::steady_clock::now();
  const auto budget_left = [&] {
    return options.budget_seconds - options.spent_seconds - seconds_since(further);
  };
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const result::Run& first = devices[i].rounds.front();
    if (!first.complete && first.processes.empty()) {
      devices[i].selection.origin = "Nothing was measured, and held against no baseline.";
      continue;
    }
    devices[i].selection = baseline::select(options.baseline, first.fingerprint, targets[i].selection);
    const auto& selected = devices[i].selection.baseline;
    devices[i].judged = selected && comparable(first, *selected, options.policy.treatment);
  }
  std::string broke_off;
  while (going) {
    const Wanted wanted = wanted_of(devices, options.policy);
    const std::size_t doubts = wanted.benchmarks.size();
    const std::size_t rounds = devices.front().rounds.size();
    if (doubts == 0) break;
    // The round must also end inside the budget.
    double pace = 0;
    for (const Checked& device : devices) pace = std::max(pace, pace_of(device.rounds.back()));
    const double next_seconds =
        wanted.pause_seconds + pace * round_seconds(planned_of(choice, wanted.benchmarks),
                                                    choice.start_seconds, options.measure.profile);
    if (next_seconds > budget_left()) {
      stopped = fmt::format(
          "{} ended the measuring{} after {}: {} benchmark{}{} still in doubt, and another round of {} would "
          "take about {:.0f} s.",
          the_budget(options), devices.size() == 1 ? " of " + targets.front().label : "",
          result::counted(rounds, "round"), doubts, doubts == 1 ? "" : "s",
          devices.size() == 1 ? doubts == 1 ? " was" : " were"
          : doubts == 1       ? " of one GPU or another was"
                              : " of one GPU or another were",
          doubts == 1 ? "it" : "them", next_seconds);
      break;
    }
    going = pause(wanted.pause_seconds, [&](double left) {
      if (options.measure.progress)
        options.measure.progress({fmt::format("waiting before round {}", rounds + 1), 0, 1,
                                  fmt::format("{} benchmarks in doubt", doubts), seconds_since(start), left});
    });
    if (!going) {
      told_to_stop = true;
      stopped = "Interrupted while waiting for the next round.";
      break;
    }
    try {
      going = round(wanted.benchmarks);
    } catch (const std::exception& error) {
      // The findings of earlier rounds stand.
      broke_off = error.what();
      break;
    }
  }
  std::vector<report::DeviceReport> reports;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Checked& checked = devices[i];
    const bool whole = checked.rounds.back().complete;
    // If another device was cut short, a complete device without doubts is not interrupted.
    const bool interrupted =
        !going && (!whole || !wanted_of({&checked, 1}, options.policy).benchmarks.empty());
    report::DeviceReport device =
        judge_rounds(checked.rounds, checked.selection, options.policy, options.strict, interrupted);
    device.label = targets[i].label;
    device.selection = targets[i].selection;
    device.files = std::move(checked.files);
    device.not_kept = std::move(checked.not_kept);
    device.interrupted = interrupted;
    device.told_to_stop = told_to_stop;
    device.stopped_when_decided = !stopped_by.empty() && whole && !interrupted;
    device.broke_off = broke_off;
    if (!stopped.empty()) device.remarks.push_back(stopped);
    if (!broke_off.empty())
      device.remarks.push_back(fmt::format("Judged by {}: another could not be measured: {}.",
                                           result::counted(checked.rounds.size(), "round"), broke_off));
    if (!going && stopped.empty() && whole)
      device.remarks.push_back(fmt::format(
          "The round of another device, measured at the same time, was cut short: {}",
          interrupted ? "that ended the measuring for all."
                      : "this one's is whole, and what it measured after that had less work beside it."));
    if (going && broke_off.empty() && options.probes != nullptr && devices.size() == 1) {
      try {
        device.stopped_when_decided =
            !ask_probes(options.measure, targets[i], *options.probes,
                        checked.judged ? &*checked.selection.baseline : nullptr, budget_left(), device);
      } catch (const std::exception& error) {
        device.broke_off = error.what();
        device.remarks.push_back(
            fmt::format("Nothing more could be measured to separate causes: {}.", error.what()));
      }
    }
    device.seconds = seconds_since(start);
    device.further_seconds = seconds_since(further);
    reports.push_back(std::move(device));
  }
  return reports;
}

report::DeviceReport check(const CheckOptions& options, const Target& target, const Choice& choice,
                           const stack::GpuReport& gpus) {
  CheckOptions own = options;
  return std::move(check_in_step(own, {target}, choice, [&](int round, const std::vector<std::string>& only) {
                     std::vector<Stored> one;
                     one.push_back(measure(own.measure, target, choice, gpus, round, only));
                     if (round == 1) own.measure.libraries = library_facts(one.front().run);
                     return one;
                   }).front());
}

}  // namespace gpugauge::conductor
