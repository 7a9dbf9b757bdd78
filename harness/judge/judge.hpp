// The judges: physical (no history) and baseline (this node before); judge_peers.hpp has the third.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/gate.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// What a site decides about metrics by name.
struct MetricRule {
  std::string pattern;              ///< of result::metric_key; * and ? as in result::matches
  std::optional<double> tolerance;  ///< relative, instead of the class's
  std::optional<bool> advisory;     ///< true: said, never counted; what decides is advisory_rule
  std::string why;                  ///< in the site's words
};

/// Parameters of the gate (docs/verdicts-statistics.md derives them), and what a site decided;
/// policy_file.hpp reads it.
struct Policy {
  GateRules rules;  ///< levels of error, and the most rounds of one check
  /// Relative tolerance of a class where it differs from the default (tolerance.cpp has those, with their
  /// reasons).
  std::map<std::string, double> tolerance;
  std::vector<MetricRule> metrics;  ///< for each field, the last one that matches and gives it counts
  /// Fields of the fingerprint that the comparison is about (baseline::covers): they may differ.
  std::vector<std::string> treatment;
  std::optional<int> expected_gpus;  ///< usable GPUs that the node must have, 0 to 1024; nullopt = any number
  std::vector<std::string> expected_models;  ///< patterns of names; empty = any
  /// True: verdicts from a provisional baseline are said and never counted, but of what is missing or failed.
  bool provisional_is_advisory = false;
  /// The keys that its file holds, as they stand there; empty where there is none.
  std::vector<std::string> given;
  /// True: the geometric mean of each class is judged as a metric of its own, "class/<class>".
  bool class_means = true;
};
/// The tolerance that applies to a class, relative, 0 < tolerance < 1. Throws std::invalid_argument for a
/// class that does not exist or a policy outside these bounds.
double tolerance(const Policy& policy, const std::string& metric_class);
/// The same for a metric: what the policy says of it by name comes before its class.
double tolerance(const Policy& policy, const std::string& metric_class, const std::string& key);
/// The tolerance of a class mean: what the policy says of "class/CLASS" by name, else class_mean_share of the
/// class's.
double class_mean_tolerance(const Policy& policy, const std::string& metric_class);
/// The rule that makes a metric advisory; nullptr where none does, or a later one says that it is not.
const MetricRule* advisory_rule(const Policy& policy, const std::string& key);
/// Makes the verdict on a metric advisory where the policy says so of it, and says so in its reason. What
/// failed always counts: of that only the reason tells that the policy would have it otherwise.
void apply_advisory(const Policy& policy, Verdict& verdict);
/// Of what the physical judge finds wrong, which counts whatever a policy says, adds just that to the reason
/// where the policy calls the metric advisory.
void refuse_advisory(const Policy& policy, std::vector<Verdict>& physical);

/// What a judgement needs next: these benchmarks once more, in a fresh round, after a pause.
struct Request {
  std::vector<std::string> benchmarks;  ///< ids, sorted; empty = nothing to measure
  double pause_seconds = 0;  ///< to wait before that round: 0 to 300 for a GPU, 0 to 30 for the host
};

/// What the rounds measured so far show against a baseline.
struct Judgement {
  std::vector<Verdict> verdicts;     ///< sorted by metric, then judge
  Request request;                   ///< what to measure before asking again; no benchmarks = all is decided
  std::vector<std::string> remarks;  ///< sentences about the baseline as a whole: provisional, too few rounds
};

/// Correctness, plausibility and invariants of the rounds of one check, their processes taken together; needs
/// no history. Failed: every benchmark, process or check that went wrong in any round, and every value that
/// physics excludes. Inconclusive: what is unavailable here, and (advisory) peaks that are not known for this
/// GPU. Ok: every metric with a limit or invariant that it keeps. Sorted by metric, one verdict each. Empty
/// for no round.
std::vector<Verdict> judge_physical(const std::vector<result::Run>& rounds);
std::vector<Verdict> judge_physical(const result::Run& run);  ///< The same for a single round.

/// Rounds of one check against a baseline: rounds[0] measured everything, later ones only what was asked for.
/// Beside the metrics, the geometric mean of each class of three metrics or more is judged at a third of the
/// class's tolerance ("class/hbm", unit "1", + is worse); a class in doubt asks for all of its members again.
Judgement judge_baseline(const std::vector<result::Run>& rounds, const baseline::Baseline& baseline,
                         const Policy& policy = {});

/// What a baseline can see: per metric centre, spread and minimum detectable drop; printed when it is made.
struct Sensitivity {
  std::string metric;        ///< result::metric_key, or "class/CLASS" for a class mean
  std::string metric_class;  ///< one of result::classes
  std::string unit;          ///< one of result::units; "1" for a class mean
  double centre = 0;         ///< median over the rounds, in unit
  double spread = 0;         ///< relative standard deviation of a round's value, moderated over the metrics
  double minimum_detectable_drop = 0;  ///< relative, with 90% power
  double tolerance = 0;                ///< relative
  bool advisory = false;  ///< minimum_detectable_drop above twice the tolerance: too noisy to count
  int rounds = 0;         ///< baseline rounds that hold the metric
  result::Direction better = result::Direction::higher;  ///< lower for a class mean
};
/// Metrics of fewer than 2 rounds have no spread and are left out.
std::vector<Sensitivity> sensitivity(const baseline::Baseline& baseline, const Policy& policy = {});

/// What the command exits with; docs/exit-codes.md says what each code means.
enum class ExitCode { pass = 0, regressed = 1, error = 2, cannot_judge = 3, inconclusive = 4 };
/// Of several devices the gravest code counts; gravest first.
inline constexpr std::array gravest_first{ExitCode::error, ExitCode::regressed, ExitCode::cannot_judge,
                                          ExitCode::inconclusive, ExitCode::pass};
/// "pass", "regressed", "tool error", "cannot judge", "inconclusive".
std::string_view to_string(ExitCode code);
/// How a judgement ends, for a script and for a reader.
struct Outcome {
  ExitCode code = ExitCode::pass;  ///< what the command exits with
  std::string sentence;            ///< the verdict in one sentence with counts
  /// false: nothing could be decided, or of a fleet, suspects are to be measured again.
  bool decided = true;
};
/// All that decides an exit code.
struct OutcomeInput {
  std::vector<Verdict> verdicts;                 ///< of every judge that spoke, in any order
  std::vector<std::string> unmeasured_families;  ///< required and not measured, with the reason
  std::string unusable_baseline;  ///< why what was pinned cannot be held against it; "" where it can
  bool judged = true;             ///< false: no judge was applicable
  std::string not_comparable;     ///< why what was there to judge by is of another kind; "" where nothing was
  bool interrupted = false;       ///< ended before everything was measured: no pass
  std::string not_kept;           ///< why a round lacks what was measured; "" where nothing was lost. No pass
  bool strict = false;            ///< what is inconclusive or unstable ends with code 4 instead of 0
};
/// From verdicts to the exit code: the one table, in exit_code.cpp. A metric on which two judges speak counts
/// once, with its gravest verdict that counts; an advisory one against it is said beside another judge's ok.
/// No verdict at all is "cannot judge", never a pass.
Outcome outcome(const OutcomeInput& input);

}  // namespace gpugauge::judge
