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

struct MeasureOptions {
  run::Profile profile;
  std::vector<std::string> families;  ///< names; empty = all that suit the device
  std::vector<std::string> patterns;  ///< classes, families or patterns of benchmark ids; empty = all
  std::uint64_t seed = 0;
  /// How many GPUs are measured at the same time, this one among them; 0 = this one alone. Part of what was
  /// measured: a baseline of one kind never judges the other.
  int together = 0;
  std::vector<std::string> command;   ///< argv, for the record
  std::filesystem::path runs_folder;  ///< where every round is stored as soon as it is measured
  std::function<void(const report::ProgressState&)> progress;
};

/// A round and where it was stored.
struct Stored {
  result::Run run;
  std::filesystem::path file;
};

/// Measures one round of one device and stores it where place.hpp says; `file` is what the user asked for.
/// `only` narrows it further for a repeated round. An
/// interrupted round is stored too, marked partial.
Stored measure(const MeasureOptions& options, const Target& target, const Choice& choice,
               const stack::GpuReport& gpus, int round, const std::vector<std::string>& only = {},
               const std::filesystem::path& file = {});

struct CheckOptions {
  MeasureOptions measure;
  judge::Policy policy;
  std::filesystem::path baseline;  ///< given by the user; empty = select
  bool strict = false;
  double budget_seconds = 1800;  ///< no further round is begun after this
};

/// Measures a device and judges it, with as many further rounds as the judge asks for.
report::DeviceReport check(const CheckOptions& options, const Target& target, const Choice& choice,
                           const stack::GpuReport& gpus);

/// Judges rounds that were measured before; `interrupted` when further ones were wanted and cut off,
/// `unmeasured` names families that were wanted and not even begun. `selection` may hold no baseline: only
/// the physical judge speaks then.
report::DeviceReport judge_rounds(const std::vector<result::Run>& rounds,
                                  const baseline::Selection& selection, const judge::Policy& policy,
                                  bool strict, bool interrupted = false,
                                  const std::vector<std::string>& unmeasured = {});

/// Judges two sides that were measured on purpose, without a baseline; the report shows the new one. Physical
/// checks are those of the new side.
report::DeviceReport judge_sides(const std::vector<result::Run>& before,
                                 const std::vector<result::Run>& after, const judge::Policy& policy,
                                 bool strict);

/// The outcome of several devices: the gravest counts (tool error, regressed, cannot judge, inconclusive,
/// pass), and a failed expectation of the `node` as a whole.
judge::Outcome combine(const std::vector<report::DeviceReport>& devices,
                       const std::vector<judge::Verdict>& node = {});

}  // namespace gpugauge::conductor
