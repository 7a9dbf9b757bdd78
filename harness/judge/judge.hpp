// The physical judge (no history) and the baseline judge (this node's past); judge_peers.hpp has the third.
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

/// A site's rule for metrics, selected by name.
struct MetricRule {
  std::string pattern;              ///< pattern for result::metric_key; * and ? as in result::matches
  std::optional<double> tolerance;  ///< relative; overrides the class's
  std::optional<bool> advisory;     ///< true: reported, never counted; advisory_rule() decides
  std::string why;                  ///< the site's reason
};

/// Gate parameters (docs/verdicts-statistics.md derives them) and a site's decisions; policy_file.hpp reads
/// it.
struct Policy {
  GateRules rules;  ///< error levels, and the most rounds of one check
  /// Relative tolerance of a class, if not the default (tolerance.cpp has the defaults and their reasons).
  std::map<std::string, double> tolerance;
  std::vector<MetricRule> metrics;  ///< for each field, the last matching rule that sets it counts
  /// Fields of the fingerprint that the comparison is about (baseline::covers). They may differ.
  std::vector<std::string> treatment;
  std::optional<int> expected_gpus;  ///< usable GPUs that the node must have, 0 to 1024; nullopt = any number
  std::vector<std::string> expected_models;  ///< patterns of names; empty = any
  /// Active RDMA ports that the node must have at least, 0 to 1024; nullopt = any number.
  std::optional<int> expected_rdma_ports;
  double expected_rdma_gigabits = 0;  ///< the rate in Gb/s that so many of them must have at least; 0 = any
  /// True: verdicts from a provisional baseline are never counted, except on what is missing or failed.
  bool provisional_is_advisory = false;
  /// The keys present in its file; empty if there is no file.
  std::vector<std::string> given;
  /// True: the geometric mean of each class is judged as a metric of its own, "class/<class>".
  bool class_means = true;
};
/// Returns the relative tolerance of a class, 0 < tolerance < 1. Throws std::invalid_argument for an unknown
/// class, or a policy value outside these bounds.
double tolerance(const Policy& policy, const std::string& metric_class);
/// The same for a metric: a policy rule by name takes precedence over its class.
double tolerance(const Policy& policy, const std::string& metric_class, const std::string& key);
/// Returns the tolerance of a class mean: a policy rule for "class/CLASS", else class_mean_share of the
/// class's.
double class_mean_tolerance(const Policy& policy, const std::string& metric_class);
/// Returns the rule that makes a metric advisory; nullptr if there is none, or a later rule revokes it.
const MetricRule* advisory_rule(const Policy& policy, const std::string& key);
/// Makes the verdict on a metric advisory if the policy says so, and notes it in the reason. A failed verdict
/// always counts; its reason then notes that the policy does not apply.
void apply_advisory(const Policy& policy, Verdict& verdict);
/// The same for physical verdicts: what failed, and what is in doubt and may be meant (Verdict::may_be_meant).
/// No other physical verdict heeds a policy.
void apply_advisory(const Policy& policy, std::vector<Verdict>& physical);

/// The next round that a judgement needs: these benchmarks again, after a pause.
struct Request {
  std::vector<std::string> benchmarks;  ///< ids, sorted; empty = nothing to measure
  double pause_seconds = 0;  ///< to wait before that round: 0 to 300 for a GPU, 0 to 30 for the host
};

/// The result of comparing the rounds measured so far with a baseline.
struct Judgement {
  std::vector<Verdict> verdicts;     ///< sorted by metric, then judge
  Request request;                   ///< what to measure next; no benchmarks = all is decided
  std::vector<std::string> remarks;  ///< sentences about the baseline as a whole: provisional, too few rounds
};

/// Judges correctness, plausibility and invariants over all processes of the rounds of one check, without
/// history. Failed: every benchmark, process or check that went wrong in any round, and every physically
/// impossible value. Inconclusive: benchmarks unavailable here, and (advisory) peaks that are not known for
/// this GPU. Ok: every metric that keeps its limit or invariant. Returns one verdict per metric, sorted by
/// metric; none for no round.
std::vector<Verdict> judge_physical(const std::vector<result::Run>& rounds);
std::vector<Verdict> judge_physical(const result::Run& run);  ///< The same for a single round.

/// Judges the rounds of one check against a baseline. rounds[0] measured everything, later rounds only what
/// was requested. The geometric mean of each class of three or more metrics is also judged, at a third of the
/// class's tolerance ("class/hbm", unit "1"; a rate where all members are). A class in doubt requests all its members
/// again.
Judgement judge_baseline(const std::vector<result::Run>& rounds, const baseline::Baseline& baseline,
                         const Policy& policy = {});

/// What a baseline can detect: centre, spread and minimum detectable drop of a metric. Printed when it is
/// made.
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
  result::Direction better = result::Direction::higher;  ///< of a class mean: see PinnedClass::better()
};
/// Returns one entry per metric. Leaves out metrics with fewer than 2 rounds, which have no spread.
std::vector<Sensitivity> sensitivity(const baseline::Baseline& baseline, const Policy& policy = {});

/// The command's exit code (docs/exit-codes.md).
enum class ExitCode { pass = 0, regressed = 1, error = 2, cannot_judge = 3, inconclusive = 4 };
/// Whether `one` is graver than `other`: with several devices the gravest counts. Gravest is a number that is no
/// code, then error, regressed, cannot_judge, inconclusive.
bool graver(ExitCode one, ExitCode other);
/// The kinds of findings that end with code 1, gravest first.
inline constexpr std::array fatal_kinds{VerdictKind::failed, VerdictKind::regressed, VerdictKind::missing};
/// "pass", "regressed", "tool error", "cannot judge", "inconclusive".
std::string_view to_string(ExitCode code);
/// What an outcome counts beside its verdict: it passes, or is advisory.
struct Mentioned {
  /// Names of the unstable, inconclusive, new and improved metrics that count, sorted, by kind.
  std::map<VerdictKind, std::vector<std::string>> metrics;
  /// Names of the failed, regressed and missing ones that are advisory, sorted, by kind.
  std::map<VerdictKind, std::vector<std::string>> advisory;
  int accepted = 0;  ///< metrics with a change that a person accepted
  int unknown = 0;   ///< metrics that are advisory and not ok otherwise
};
/// The outcome of a judgement, for scripts and readers.
struct Outcome {
  ExitCode code = ExitCode::pass;  ///< the command's exit code
  std::string sentence;            ///< the verdict in one sentence with counts
  /// false: nothing could be decided, or suspects of a fleet are to be measured again
  bool decided = true;
  /// With the code regressed, the gravest of what was found: failed, regressed or missing; nullopt for a
  /// finding of another kind, such as a node unlike its peers. nullopt with any other code, and in a stored
  /// outcome, which has its own word.
  std::optional<VerdictKind> found = std::nullopt;
  /// What `sentence` counts with the verdict; empty in an outcome of several devices and in a stored one.
  Mentioned mentioned = {};
};
/// Everything that decides an exit code.
struct OutcomeInput {
  std::vector<Verdict> verdicts;                 ///< verdicts of all judges that ran, in any order
  std::vector<std::string> unmeasured_families;  ///< required but not measured, with the reason
  std::string unusable_baseline;                 ///< why the pinned baseline cannot be used; "" if it can
  bool judged = true;                            ///< false: no judge was applicable
  std::string not_comparable;  ///< why the available references are of another kind; "" if there were none
  /// Why what some families measured is held against no reference, and what to do; "" if all are
  std::string left_out = {};
  bool interrupted = false;  ///< ended before everything was measured: never a pass
  std::string not_kept;      ///< why measured values of a round were not kept; "" if all were. Never a pass
  bool strict = false;       ///< inconclusive or unstable verdicts exit with 4 instead of 0
};
/// Maps verdicts to the exit code; exit_code.cpp holds the only table. A metric with verdicts from two judges
/// counts once, with its gravest verdict that counts. An advisory verdict against it is reported beside
/// another judge's ok. Without any verdict the outcome is "cannot judge", never a pass.
Outcome outcome(const OutcomeInput& input);

}  // namespace gpugauge::judge
