// Measurements that `check` may make by itself to separate causes: one table, and which of them is worth its
// time. Pure: what is asked here is done by the conductor.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnose/diagnose.hpp"

namespace gpugauge::diagnose {

/// The kind of device for which a probe can be made. The links between GPUs count as GPUs.
enum class Measures { host, gpu, both };

/// What a probe does.
enum class Action {
  repeat,         ///< a slow benchmark as it was and with one difference, in turn
  repeat_later,   ///< a slow benchmark as it was, after a pause
  after_idle,     ///< a slow benchmark at once, after a pause, and at once again
  share,          ///< keeps processors busy and reads what the kernel counts meanwhile
  link,           ///< copies, while NVML is asked about the link
  idle_gpu,       ///< asks NVML how busy the GPU is while nothing of ours runs
  nvml,           ///< how long NVML takes to answer
  other_library,  ///< another family's benchmark of the class that is slow
};

/// The processors that the repetition may use.
enum class Processors { as_they_are, all, idle, local_to_gpu };

/// One answer that a probe may give, and what then stands in the telemetry of the observation.
struct Answer {
  std::string_view outcome;                                        ///< of probe_outcomes
  std::vector<std::pair<std::string_view, Value>> telemetry = {};  ///< key and value
};

/// An entry of the table.
struct ProbeEntry {
  std::string_view id = {};                      ///< as `check` and its reports name it
  std::string_view question = {};                ///< in words, with a question mark
  std::vector<std::string_view> separates = {};  ///< ids of causes
  std::string_view fact = {};          ///< its name in the observation, of probe_names; "" = telemetry only
  std::string_view detail = {};        ///< how the fact's detail begins
  std::vector<Answer> answers = {};    ///< all that are possible
  double seconds = 5;                  ///< about what it costs
  Measures measures = Measures::both;  ///< kinds of device on which it can be asked
  /// One of these must be slower; empty = any.
  std::vector<std::string_view> classes = {};
  Action action = Action::repeat;                   ///< what is done
  double pause_seconds = 0;                         ///< waited before it
  Processors processors = Processors::as_they_are;  ///< on which it is done
  /// Variables that are taken out of the environment ("*" stands for anything); one of them must be set.
  std::vector<std::string_view> without = {};
  /// Variable and value that are set for the repetition.
  std::vector<std::pair<std::string_view, std::string_view>> with = {};
  /// What must hold besides; nullptr = nothing.
  bool (*needs)(const Seen& seen) = nullptr;
};

/// All of them; each id once.
const std::vector<ProbeEntry>& probe_table();
/// nullptr for an id that is not there.
const ProbeEntry* find_probe(std::string_view id);

/// Whether the entry can say anything about this observation: the kind of device, a slow figure of its
/// classes, a variable to take away, what it needs, and not asked before.
bool applies(const ProbeEntry& probe, const Observation& observation, bool gpu);

/// The variables of the observation that the entry takes away: never those that only say which devices a
/// program is shown.
std::vector<std::string> variables_without(const ProbeEntry& probe, const Observation& observation);

/// The answer stands in the observation from now on, measured by this probe.
void add_answer(const ProbeEntry& probe, std::string_view outcome, const std::string& detail,
                Observation& observation);

/// A probe with what it would cost now.
struct Costed {
  const ProbeEntry* probe = nullptr;  ///< of probe_table()
  double seconds = 1;                 ///< above 0
};

/// A probe whose answer would change what is named.
struct WorthAsking {
  const ProbeEntry* probe = nullptr;  ///< of probe_table()
  double seconds = 0;                 ///< what it would cost now
  double separation = 0;              ///< sum of the differences of scores between its two farthest answers
  std::vector<std::string> between;   ///< the leading causes that it separates, best first
};

/// Those of the candidates for which two possible answers lead to different rankings: another cause first, or
/// the first one confident with one answer only. Most separating per second first. Empty where the best cause
/// is confident and clearly ahead, and where nothing is wrong.
std::vector<WorthAsking> worth_asking(const Observation& observation, const std::vector<Costed>& candidates,
                                      const Weights& weights = {});

/// What a repetition says.
struct Repeated {
  std::string outcome;  ///< of probe_outcomes; "" = it says nothing
  std::string why_not;  ///< then: why, the end of a sentence that begins with "because"
  bool passed = false;  ///< it is no longer slow as it was
  /// What an outcome was decided by, geometric means; 0 without an outcome: the slowness with the difference,
  /// or now, and beside it the control's, where there is one.
  double factor = 0;
  double factor_without = 0;  ///< the control's, see factor
};

/// From slowness (1 = unchanged, 2 = twice as slow): `before` as it was judged, `control` measured again as
/// it was, `treated` with the one difference, each at least once. A difference that is not clearly larger
/// than the repetitions' own says nothing. The outcome is recovers, no_change or worse.
Repeated outcome_of_repetition(double before, const std::vector<double>& control,
                               const std::vector<double>& treated);

/// From slowness `before` and measured anew, at least once: normal where most of it is gone, slow where most
/// of it is there.
Repeated outcome_of_standing(double before, const std::vector<double>& now);

}  // namespace gpugauge::diagnose
