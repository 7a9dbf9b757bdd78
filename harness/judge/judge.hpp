// The judges: physical (no history) and baseline (this node before).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Parameters of the gate (docs/verdicts.md derives them).
struct Policy {
  double alpha = .01;     ///< false regressions per judgement, over all metrics
  double alpha_ok = .05;  ///< false "ok" per metric at a change of exactly the tolerance
  int max_rounds = 6;     ///< Jmax
  /// Relative tolerance of a class (see tolerance.cpp for the defaults and their reasons).
  std::map<std::string, double> tolerance;
};
/// The tolerance that applies to a class.
double tolerance(const Policy& policy, const std::string& metric_class);

/// What a judgement needs next: these benchmarks once more, in a fresh round, after a pause.
struct Request {
  std::vector<std::string> benchmarks;  ///< ids, sorted; empty = nothing to measure
  double pause_seconds = 0;
};

struct Judgement {
  std::vector<Verdict> verdicts;  ///< sorted by metric, then judge
  Request request;
};

/// Correctness, plausibility and invariants of one run; needs no history. Also every benchmark that failed,
/// and every family that could not be measured.
std::vector<Verdict> judge_physical(const result::Run& run);

/// Rounds of one check against a baseline: rounds[0] measured everything, later ones only what was asked for.
Judgement judge_baseline(const std::vector<result::Run>& rounds, const baseline::Baseline& baseline,
                         const Policy& policy = {});

/// What a baseline can see: per metric centre, spread and minimum detectable drop; printed when it is made.
struct Sensitivity {
  std::string metric;
  std::string metric_class;
  std::string unit;
  double centre = 0;
  double spread = 0;  ///< relative standard deviation of a round's value, moderated over the metrics
  double minimum_detectable_drop = 0;
  double tolerance = 0;
  bool advisory = false;
};
std::vector<Sensitivity> sensitivity(const baseline::Baseline& baseline, const Policy& policy = {});

/// From verdicts to the exit code: the one table. See exit_code.cpp.
enum class ExitCode { pass = 0, regressed = 1, error = 2, cannot_judge = 3, inconclusive = 4 };
struct Outcome {
  ExitCode code = ExitCode::pass;
  std::string sentence;  ///< the verdict in one sentence with counts
};
struct OutcomeInput {
  std::vector<Verdict> verdicts;
  std::vector<std::string> unmeasured_families;  ///< required and not measured, with the reason
  bool judged = true;                            ///< false: no judge was applicable
  bool interrupted = false;
  bool strict = false;
};
Outcome outcome(const OutcomeInput& input);

}  // namespace gpugauge::judge
