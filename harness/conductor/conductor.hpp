// The measuring loop: measures a round, judges it, and measures again whatever the judge asks for.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "conductor/catalogue.hpp"
#include "conductor/observe.hpp"
#include "conductor/targets.hpp"
#include "judge/before_after.hpp"
#include "judge/judge.hpp"
#include "report/progress.hpp"
#include "report/summary.hpp"
#include "run/runner.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::conductor {

/// How rounds are measured and where they are stored.
struct MeasureOptions {
  run::Profile profile;    ///< processes, windows and time limits
  std::uint64_t seed = 0;  ///< seed of the first round; each further round adds 1
  /// Number of GPUs measured at the same time, including this one; 0 = this one alone. It is part of the
  /// run's identity: a baseline with another value never judges the run.
  int together = 0;
  std::vector<std::string> command;   ///< argv, for the record
  std::filesystem::path runs_folder;  ///< where every round is stored as soon as it is measured
  std::function<void(const report::ProgressState&)> progress;  ///< called while it measures; may be empty
  /// library_facts() of the device's first round; empty when this is the first round.
  result::Facts libraries;
};

/// A round and where it was stored.
struct Stored {
  result::Run run;             ///< the round, whole or partial
  std::filesystem::path file;  ///< where the round is stored; empty where it is not
  std::string not_kept;        ///< why it could not be stored as asked, a sentence; else ""
  std::string stopped_by;      ///< signal that asked to stop, set even when the round is whole; else ""
};

/// Measures one round of one device and stores it where place.hpp says. `file` is the path that the user
/// gave. `only` narrows a repeated round further. An interrupted round is stored too, marked partial.
Stored measure(const MeasureOptions& options, const Target& target, const Choice& choice,
               const stack::GpuReport& gpus, int round, const std::vector<std::string>& only = {},
               const std::filesystem::path& file = {});

/// Key in Fingerprint::suite: number of GPUs measured at the same time.
inline constexpr const char* together_fact = "suite.devices_together";
/// Key in Fingerprint::suite: seconds that sustained-load benchmarks ran (Profile::sustained_seconds); absent
/// for their ordinary window.
inline constexpr const char* sustained_fact = "suite.sustained_seconds";

/// How a device is measured and judged.
struct CheckOptions {
  MeasureOptions measure;          ///< the rounds
  judge::Policy policy;            ///< the gate's policy, with the site's decisions
  std::filesystem::path baseline;  ///< given by the user; empty = select
  bool strict = false;             ///< inconclusive ends with exit code 4 instead of 0
  /// Budget for all further rounds, the pauses before them and the probes, shared by all devices of a
  /// command. The first round of each device is always measured and not counted.
  double budget_seconds = 1800;
  double spent_seconds = 0;  ///< what earlier devices used of the budget
  /// Benchmarks that probes may use to separate causes (probing.hpp); nullptr = no probes. Must be nullptr
  /// for devices measured at the same time: a probe alone would see another state.
  const Catalogue* probes = nullptr;
  /// Where the monitor keeps its sums from check to check (nightly.hpp); empty = no monitor.
  std::filesystem::path monitor_folder;
  const stack::Inventory* node = nullptr;  ///< what the doctor sees of this node; nullptr = nobody looked
};

/// Measures a round of several devices; `only` narrows its benchmarks (empty = all). Returns one entry per
/// device, in their order, marked partial where it was cut short.
using MeasureRound = std::function<std::vector<Stored>(int round, const std::vector<std::string>& only)>;

/// Measures all devices round by round and judges each against its own baseline. Repeats rounds while the
/// judge asks for more on any device. A partial round on one device, or a stop, ends the measurement for all.
std::vector<report::DeviceReport> check_in_step(const CheckOptions& options,
                                                const std::vector<Target>& targets, const Choice& choice,
                                                const MeasureRound& measure_round);

/// Measures and judges one device by itself, as check_in_step() does.
report::DeviceReport check(const CheckOptions& options, const Target& target, const Choice& choice,
                           const stack::GpuReport& gpus);

/// True when the baseline may judge the run: every field that must match is equal or covered by `treatment`.
bool comparable(const result::Run& run, const baseline::Baseline& baseline,
                const std::vector<std::string>& treatment);

/// Judges stored rounds. `interrupted`: further rounds were wanted but cut off. Without a baseline in
/// `selection`, only the physical judge is used. `node` as observe() takes it: only of the node and the time
/// of the rounds.
report::DeviceReport judge_rounds(const std::vector<result::Run>& rounds,
                                  const baseline::Selection& selection, const judge::Policy& policy,
                                  bool strict, bool interrupted = false,
                                  const stack::Inventory* node = nullptr);

/// Judges two deliberately measured sides without a baseline. The report shows the new side, and physical
/// checks apply to it only. `once_more` is that of judge::judge_before_after, `node` that of observe().
report::DeviceReport judge_sides(const std::vector<result::Run>& before,
                                 const std::vector<result::Run>& after, const judge::Policy& policy,
                                 bool strict, const std::string& once_more = judge::once_more_by_compare,
                                 const SeenNode& node = {});

}  // namespace gpugauge::conductor
