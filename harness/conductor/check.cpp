// The check loop: measures, judges, and measures again what is in doubt.
#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "conductor/conductor.hpp"
#include "conductor/nightly.hpp"
#include "conductor/node_fingerprint.hpp"
#include "conductor/pause.hpp"
#include "conductor/probing.hpp"
#include "judge/declines.hpp"
#include "result/counted.hpp"
#include "result/stopwatch.hpp"

namespace gpugauge::conductor {
namespace {

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
  Nightly nightly;      ///< what the monitor says of the first round
  /// The round that only the monitor asked for: it decides nothing, and so is none of `rounds`.
  std::optional<result::Run> once_more = {};
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

/// The benchmarks of which the monitor alarms and no later round measured them; sorted.
std::vector<std::string> unconfirmed(std::span<const Checked> devices) {
  std::set<std::string> out;
  for (const Checked& device : devices)
    for (const judge::Decline& decline : device.nightly.declines) {
      const auto measured = [&](const result::Run& round) {
        return std::find(round.only.begin(), round.only.end(), decline.benchmark) != round.only.end();
      };
      if (std::none_of(device.rounds.begin() + 1, device.rounds.end(), measured))
        out.insert(decline.benchmark);
    }
  return {out.begin(), out.end()};
}

bool fails(const result::Run& run) {
  const std::vector<judge::Verdict> verdicts = judge::judge_physical(run);
  return std::any_of(verdicts.begin(), verdicts.end(), [](const judge::Verdict& verdict) {
    return verdict.kind == judge::VerdictKind::failed;
  });
}

/// Adds a round that is judged, and where it lies.
void add_round(Stored&& round, Checked& device) {
  device.rounds.push_back(std::move(round.run));
  if (!round.file.empty()) device.files.push_back(std::move(round.file));
  if (!round.not_kept.empty()) device.not_kept.push_back(std::move(round.not_kept));
}

/// Text for the beginning of a sentence.
std::string the_budget(const CheckOptions& options) {
  std::string out = fmt::format("The time budget of {:.0f} s", options.budget_seconds);
  if (options.spent_seconds >= .5)
    out += fmt::format(", of which other devices took {:.0f} s,", options.spent_seconds);
  return out;
}

/// Several devices that are measured in the same rounds, and what ended the rounds.
class SteppedCheck {
 public:
  SteppedCheck(const CheckOptions& options, const std::vector<Target>& targets, const Choice& choice,
               const MeasureRound& measure_round)
      : options_(options),
        targets_(targets),
        choice_(choice),
        measure_round_(measure_round),
        devices_(targets.size()) {}

  std::vector<report::DeviceReport> measure_and_judge() && {
    bool further = measure_all({});
    since_first_ = result::Stopwatch();
    for (std::size_t i = 0; i < devices_.size(); ++i) select_baseline(targets_[i], devices_[i]);
    while (further) further = measure_again();
    if (cut_ == Cut::nothing) measure_declines();
    std::vector<report::DeviceReport> reports;
    for (std::size_t i = 0; i < devices_.size(); ++i)
      reports.push_back(report_of(targets_[i], std::move(devices_[i])));
    return reports;
  }

 private:
  /// What cut the measuring short.
  enum class Cut {
    nothing,              ///< every round is whole, and no signal came
    partial_round,        ///< a round is not whole
    stop_in_a_round,      ///< a signal came while a round was measured
    stop_between_rounds,  ///< a signal came while the next round was waited for
  };

  /// Measures a round on all devices. Returns false if it was cut short, or a signal came.
  bool measure_all(const std::vector<std::string>& only) {
    std::vector<Stored> measured = measure_round_(static_cast<int>(rounds()) + 1, only);
    bool whole = true;
    std::string signal;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      whole = whole && measured.at(i).run.complete;
      if (!measured[i].stopped_by.empty()) signal = measured[i].stopped_by;
      add_round(std::move(measured[i]), devices_[i]);
    }
    if (!signal.empty()) {
      cut_ = Cut::stop_in_a_round;
      if (whole) ended_ = fmt::format("{} asked to stop when round {} was whole.", signal, rounds());
      return false;
    }
    if (!whole) cut_ = Cut::partial_round;
    return whole;
  }

  /// Rounds so far, the same number on each device.
  std::size_t rounds() const { return devices_.front().rounds.size(); }

  void select_baseline(const Target& target, Checked& device) const {
    const result::Run& first = device.rounds.front();
    if (!first.complete && first.processes.empty()) {
      device.selection.origin = "Nothing was measured, and held against no baseline.";
      return;
    }
    device.selection = baseline::select(options_.baseline, first.fingerprint, target.selection);
    const auto& selected = device.selection.baseline;
    device.judged = selected && comparable(first, *selected, options_.policy.treatment);
    if (device.judged && !options_.monitor_folder.empty())
      device.nightly = add_to_nights(options_.monitor_folder, first, *selected, options_.policy);
  }

  double budget_left() const {
    return options_.budget_seconds - options_.spent_seconds - since_first_.seconds();
  }

  /// How long it takes to measure these benchmarks once more, the pause before included.
  double seconds_of(const Wanted& wanted) const {
    double pace = 0;
    for (const Checked& device : devices_) pace = std::max(pace, pace_of(device.rounds.back()));
    return wanted.pause_seconds + pace * round_seconds(planned_of(choice_, wanted.benchmarks),
                                                       choice_.start_seconds, options_.measure.profile,
                                                       targets_.front().kind);
  }

  /// Measures once more what is in doubt. Returns false if no further round is to follow.
  bool measure_again() {
    const Wanted wanted = wanted_of(devices_, options_.policy);
    if (wanted.benchmarks.empty()) return false;
    // The round must also end inside the budget.
    if (const double next_seconds = seconds_of(wanted); next_seconds > budget_left()) {
      ended_ = out_of_budget(wanted.benchmarks.size(), next_seconds);
      return false;
    }
    const bool waited = pause(wanted.pause_seconds, [&](double left) {
      if (options_.measure.progress)
        options_.measure.progress({fmt::format("waiting before round {}", rounds() + 1), 0, 1,
                                   result::counted(wanted.benchmarks.size(), "benchmark") + " again",
                                   since_start_.seconds(), left});
    });
    if (!waited) {
      cut_ = Cut::stop_between_rounds;
      ended_ = "Interrupted while waiting for the next round.";
      return false;
    }
    try {
      return measure_all(wanted.benchmarks);
    } catch (const std::exception& error) {
      // The findings of earlier rounds stand.
      broke_off_ = error.what();
      return false;
    }
  }

  /// Measures once more what the monitor alarms of, where the budget has room. The verdicts stand by then: a
  /// stop or an error meanwhile leaves them as they are. What fails there counts, as in any round.
  void measure_declines() {
    const Wanted wanted{unconfirmed(devices_), 0};
    if (wanted.benchmarks.empty() || seconds_of(wanted) > budget_left()) return;
    std::vector<Stored> measured;
    try {
      measured = measure_round_(static_cast<int>(rounds()) + 1, wanted.benchmarks);
    } catch (const std::exception& error) {
      why_not_again_ = error.what();
      return;
    }
    std::string signal;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      Stored& stored = measured.at(i);
      if (!stored.stopped_by.empty()) signal = stored.stopped_by;
      if (!stored.run.complete) continue;
      if (fails(stored.run)) {
        add_round(std::move(stored), devices_[i]);
      } else {
        devices_[i].once_more = std::move(stored.run);
      }
    }
    if (signal.empty()) return;
    cut_ = Cut::stop_in_a_round;
    ended_ = fmt::format("{} asked to stop when all was decided.", signal);
  }

  std::string out_of_budget(std::size_t doubts, double next_seconds) const {
    const char* in_doubt = doubts == 1 ? " was" : " were";
    if (devices_.size() > 1)
      in_doubt = doubts == 1 ? " of one GPU or another was" : " of one GPU or another were";
    return fmt::format(
        "{} ended the measuring{} after {}: {}{} still in doubt, and another round of {} would take about "
        "{:.0f} s.",
        the_budget(options_), devices_.size() == 1 ? " of " + targets_.front().label : "",
        result::counted(rounds(), "round"), result::counted(doubts, "benchmark"), in_doubt,
        doubts == 1 ? "it" : "them", next_seconds);
  }

  report::DeviceReport report_of(const Target& target, Checked&& checked) {
    const bool whole = checked.rounds.back().complete;
    // If another device was cut short, a complete device without doubts is not interrupted.
    const bool interrupted =
        cut_ != Cut::nothing && (!whole || !wanted_of({&checked, 1}, options_.policy).benchmarks.empty());
    report::DeviceReport device = judge_rounds(checked.rounds, checked.selection, options_.policy,
                                               options_.strict, interrupted, options_.node);
    device.label = target.label;
    device.selection = target.selection;
    device.files = std::move(checked.files);
    device.not_kept = std::move(checked.not_kept);
    device.interrupted = interrupted;
    device.told_to_stop = cut_ == Cut::stop_in_a_round || cut_ == Cut::stop_between_rounds;
    device.stopped_when_decided = cut_ == Cut::stop_in_a_round && whole && !interrupted;
    device.broke_off = broke_off_;
    add_remarks(checked.rounds.size(), whole, device);
    add_nightly(checked, device);
    if (cut_ == Cut::nothing && broke_off_.empty() && options_.probes != nullptr && devices_.size() == 1)
      separate_causes(target, checked, device);
    device.seconds = since_start_.seconds();
    device.further_seconds = since_first_.seconds();
    return device;
  }

  void add_nightly(const Checked& checked, report::DeviceReport& device) const {
    if (!checked.nightly.problem.empty()) device.remarks.push_back(checked.nightly.problem);
    if (!checked.judged) return;
    std::vector<const result::Run*> other;
    for (std::size_t i = 1; i < checked.rounds.size(); ++i) other.push_back(&checked.rounds[i]);
    if (checked.once_more) other.push_back(&*checked.once_more);
    device.declines = told_of(checked.nightly.declines, other, *checked.selection.baseline, options_.policy,
                              device.verdicts);
    if (device.declines.empty()) return;
    device.remarks.push_back(judge::sentence_on(device.declines));
    if (!why_not_again_.empty())
      device.remarks.push_back(
          fmt::format("What the monitor alarms of could not be measured again: {}.", why_not_again_));
  }

  /// What ended the rounds. `whole`: the device's last round is complete.
  void add_remarks(std::size_t rounds, bool whole, report::DeviceReport& device) const {
    if (!ended_.empty()) device.remarks.push_back(ended_);
    if (!broke_off_.empty())
      device.remarks.push_back(fmt::format("Judged by {}: another could not be measured: {}.",
                                           result::counted(rounds, "round"), broke_off_));
    if (cut_ != Cut::nothing && ended_.empty() && whole)
      device.remarks.push_back(
          fmt::format("The round of another device, measured at the same time, was cut short: {}",
                      device.interrupted
                          ? "that ended the measuring for all."
                          : "this one's is whole, and what it measured after that had less work beside it."));
  }

  void separate_causes(const Target& target, const Checked& checked, report::DeviceReport& device) const {
    try {
      device.stopped_when_decided =
          !ask_probes(options_.measure, target, *options_.probes,
                      checked.judged ? &*checked.selection.baseline : nullptr, budget_left(), device);
    } catch (const std::exception& error) {
      device.broke_off = error.what();
      device.remarks.push_back(
          fmt::format("Nothing more could be measured to separate causes: {}.", error.what()));
    }
  }

  const CheckOptions& options_;
  const std::vector<Target>& targets_;
  const Choice& choice_;
  const MeasureRound& measure_round_;
  std::vector<Checked> devices_;
  const result::Stopwatch since_start_;
  result::Stopwatch since_first_ = since_start_;  ///< since the end of the first round
  Cut cut_ = Cut::nothing;
  std::string ended_;  ///< a sentence: what ended the rounds before all was decided; "" where nothing did
  std::string why_not_again_;  ///< why the monitor's round could not be measured; "" if it could
  std::string broke_off_;      ///< why a further round could not be measured
};

}  // namespace

std::vector<report::DeviceReport> check_in_step(const CheckOptions& options,
                                                const std::vector<Target>& targets, const Choice& choice,
                                                const MeasureRound& measure_round) {
  return SteppedCheck(options, targets, choice, measure_round).measure_and_judge();
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
