// The table of measurements that `check` may make itself to separate causes, and the choice of those worth
// their time. Pure: the conductor runs them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnose/diagnose.hpp"

namespace gpugauge::diagnose {

/// The kinds of device that a probe supports. The links between GPUs count as GPUs.
enum class Measures { host, gpu, both };

/// What a probe measures.
enum class Action {
  repeat,         ///< repeats a slow benchmark unchanged and with one difference, alternating
  repeat_later,   ///< repeats a slow benchmark unchanged, after a pause
  after_idle,     ///< repeats a slow benchmark at once, after a pause, and at once again
  share,          ///< keeps processors busy and reads the kernel's counters meanwhile
  link,           ///< copies while it asks NVML about the link
  idle_gpu,       ///< asks NVML how busy the GPU is while this command runs nothing
  nvml,           ///< measures how long NVML takes to answer
  other_library,  ///< runs another family's benchmark of the slow class
};

/// The processors that a repetition may use.
enum class Processors { as_they_are, all, idle, local_to_gpu };

/// A possible answer of a probe, and the telemetry that it adds to the observation.
struct Answer {
  std::string_view outcome;                                        ///< one of probe_outcomes
  std::vector<std::pair<std::string_view, Value>> telemetry = {};  ///< key and value
};

/// A probe in the table.
struct ProbeEntry {
  std::string_view id = {};                      ///< name in `check` and its reports
  std::string_view question = {};                ///< in words, with a question mark
  std::vector<std::string_view> separates = {};  ///< ids of causes
  std::string_view fact = {};          ///< probe name in the observation, of probe_names; "" = telemetry only
  std::string_view detail = {};        ///< start of the fact's detail
  std::vector<Answer> answers = {};    ///< all possible answers
  double seconds = 5;                  ///< approximate cost
  Measures measures = Measures::both;  ///< kinds of device that it supports
  /// One of these must be slower; empty = any.
  std::vector<std::string_view> classes = {};
  Action action = Action::repeat;                   ///< what is done
  double pause_seconds = 0;                         ///< waited before it
  Processors processors = Processors::as_they_are;  ///< processors that the repetition may use
  /// Variables removed from the environment ("*" matches anything); at least one must be set.
  std::vector<std::string_view> without = {};
  /// Variables and values set for the repetition.
  std::vector<std::pair<std::string_view, std::string_view>> with = {};
  /// Further condition; nullptr = none.
  bool (*needs)(const Seen& seen) = nullptr;
};

/// All probes; each id is unique.
const std::vector<ProbeEntry>& probe_table();

/// True when the probe can tell something about this observation. It must support the kind of device, and
/// have a slow figure of its classes and a variable to remove. Its condition must hold, and it must not have
/// been asked before.
bool applies(const ProbeEntry& probe, const Observation& observation, bool gpu);

/// The observation's variables that the probe removes, except variables that only select the devices a
/// program sees.
std::vector<std::string> variables_without(const ProbeEntry& probe, const Observation& observation);

/// Adds the answer, measured by this probe, to the observation.
void add_answer(const ProbeEntry& probe, std::string_view outcome, const std::string& detail,
                Observation& observation);

/// A probe with its current cost.
struct Costed {
  const ProbeEntry* probe = nullptr;  ///< entry of probe_table()
  double seconds = 1;                 ///< above 0
};

/// A probe whose answer would change which cause is named.
struct WorthAsking {
  const ProbeEntry* probe = nullptr;  ///< entry of probe_table()
  double seconds = 0;                 ///< current cost
  double separation = 0;              ///< sum of the score differences between its two most distant answers
  std::vector<std::string> between;   ///< the leading causes that it separates, best first
};

/// The candidates for which two possible answers give different rankings: another cause first, or the first
/// one confident only with one answer. The best separation per second comes first. Empty where the best cause
/// is confident and clearly ahead, and where nothing is wrong.
std::vector<WorthAsking> worth_asking(const Observation& observation, const std::vector<Costed>& candidates,
                                      const Weights& weights = {});

/// The result of a repetition.
struct Repeated {
  std::string outcome;  ///< one of probe_outcomes; "" = inconclusive
  std::string why_not;  ///< why it is inconclusive: the rest of a sentence after "because"
  bool passed = false;  ///< the metric is no longer as slow
  /// Slowness that decided the outcome, as geometric mean: with the difference, or measured now. 0 without an
  /// outcome.
  double factor = 0;
  double factor_without = 0;  ///< the control's slowness, where there is one; 0 without an outcome
};

/// Compares slowness (1 = unchanged, 2 = twice as slow): `before` as judged, `control` repeated unchanged,
/// `treated` with the one difference; at least one value each. The outcome is recovers, no_change or worse.
/// It is inconclusive when the slowness is gone or too small, when the repetitions spread by more than half
/// of it, and when about half of it remains.
Repeated outcome_of_repetition(double before, const std::vector<double>& control,
                               const std::vector<double>& treated);

/// Compares slowness `before` with the new values, at least one: normal where most of it is gone, slow where
/// most of it remains. Slowness below `least` is none: a judge who knows the noise may see less than slower_from.
Repeated outcome_of_standing(double before, const std::vector<double>& now, double least = slower_from);

}  // namespace gpugauge::diagnose
