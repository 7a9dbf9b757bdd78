// Accepted changes: they are reported but not counted, until they expire or get worse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/gate.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

struct Policy;

/// Returns the step from the baseline's centre above which a regression counts despite an accepted change:
/// the accepted value, worsened by the metric's tolerance. `blank` gives the metric, unit and direction.
/// Returns nullopt where no accepted change in that unit is in force on the day of `when` (RFC 3339).
std::optional<double> accepted_above(const baseline::Baseline& baseline, const Verdict& blank,
                                     const Scale& scale, const std::string& when);

/// Makes a regressed or inconclusive verdict advisory where the baseline's log holds an accepted change in
/// force on the day of `when` (RFC 3339). The metric must not be worse than the accepted value by more than
/// its tolerance. A regression is tested by the smaller of its mean and typical change, an inconclusive
/// verdict by the worse end of its interval. Appends a remark for each counted regression whose acceptance
/// expired.
void apply_accepted(std::vector<Verdict>& verdicts, const baseline::Baseline& baseline, const Policy& policy,
                    const std::string& when, std::vector<std::string>& remarks);

}  // namespace gpugauge::judge
