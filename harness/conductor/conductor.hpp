// The room that loops: measure, judge, and measure again what the judge asks for.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "conductor/catalogue.hpp"
#include "conductor/targets.hpp"
#include "judge/judge.hpp"
#include "report/progress.hpp"
#include "report/summary.hpp"
#include "run/runner.hpp"

namespace gpugauge::conductor {

/// How rounds are measured and where they are stored.
struct MeasureOptions {
  run::Profile profile;               ///< processes, windows and time limits
  std::vector<std::string> families;  ///< names; empty = all that suit the device
  std::vector<std::string> patterns;  ///< classes, families or patterns of benchmark ids; empty = all
  std::uint64_t seed = 0;             ///< of the first round; each further one takes the next number
  /// How many GPUs are measured at the same time, this one among them; 0 = this one alone. Part of what was
  /// measured: a baseline of one kind never judges the other.
  int together = 0;
  std::vector<std::string> command;   ///< argv, for the record
  std::filesystem::path runs_folder;  ///< where every round is stored as soon as it is measured
  std::function<void(const report::ProgressState&)> progress;  ///< called while it measures; may be empty
  /// library_facts() of the device's first round; empty for that one.
  result::Facts libraries;
};

/// A round and where it was stored.
struct Stored {
  result::Run run;             ///< the round, whole or partial
  std::filesystem::path file;  ///< where it lies now; empty where it lies nowhere
  std::string not_kept;        ///< why it does not lie where it should, a sentence, or ""
  std::string stopped_by;      ///< the signal that asked to stop, also where the round is whole; or ""
};

/// Measures one round of one device and stores it where place.hpp says; `file` is what the user asked for.
/// `only` narrows it further for a repeated round. An
/// interrupted round is stored too, marked partial.
Stored measure(const MeasureOptions& options, const Target& target, const Choice& choice,
               const stack::GpuReport& gpus, int round, const std::vector<std::string>& only = {},
               const std::filesystem::path& file = {});

/// In Fingerprint::suite: how many GPUs were measured at the same time.
inline constexpr const char* together_fact = "suite.devices_together";
/// The same: how many seconds a benchmark of sustained load ran, where it was not as long as the profile
/// says.
inline constexpr const char* sustained_fact = "suite.sustained_seconds";

/// How a device is measured and judged.
struct CheckOptions {
  MeasureOptions measure;          ///< the rounds
  judge::Policy policy;            ///< of the gate, and what the site decided
  std::filesystem::path baseline;  ///< given by the user; empty = select
  bool strict = false;             ///< what stays in doubt ends with code 4 instead of 0
  /// What all further rounds, the waiting before them and the probes may take, of all devices of a command
  /// together. The first round of each is always measured and not counted: a device is judged whatever was in
  /// doubt before it.
  double budget_seconds = 1800;
  double spent_seconds = 0;  ///< what the devices before took of the budget
  /// What the probes may measure that separate causes (probing.hpp); nullptr = none is made. None is made of
  /// devices that are measured at the same time: alone, they would be asked about another state.
  const Catalogue* probes = nullptr;
};

/// Measures a round of several devices: which one, and the benchmarks that it is narrowed to (empty = all).
/// Returns one for each device, in their order, partial where it was cut short.
using MeasureRound = std::function<std::vector<Stored>(int round, const std::vector<std::string>& only)>;

/// Measures devices round by round, each round on all of them, and judges each by a baseline of its own, with
/// as many further rounds as the judge asks for any of them. A partial round of one, or a stop, ends it for
/// all.
std::vector<report::DeviceReport> check_in_step(const CheckOptions& options,
                                                const std::vector<Target>& targets, const Choice& choice,
                                                const MeasureRound& measure_round);

/// The same for one device by itself.
report::DeviceReport check(const CheckOptions& options, const Target& target, const Choice& choice,
                           const stack::GpuReport& gpus);

/// True when the baseline may judge the run: nothing that must match differs but what `treatment` declares.
bool comparable(const result::Run& run, const baseline::Baseline& baseline,
                const std::vector<std::string>& treatment);

/// Judges rounds that were measured before; `interrupted` when further ones were wanted and cut off.
/// `selection` may hold no baseline: only the physical judge speaks then.
report::DeviceReport judge_rounds(const std::vector<result::Run>& rounds,
                                  const baseline::Selection& selection, const judge::Policy& policy,
                                  bool strict, bool interrupted = false);

/// Judges two sides that were measured on purpose, without a baseline; the report shows the new one. Physical
/// checks are those of the new side.
report::DeviceReport judge_sides(const std::vector<result::Run>& before,
                                 const std::vector<result::Run>& after, const judge::Policy& policy,
                                 bool strict);

}  // namespace gpugauge::conductor
