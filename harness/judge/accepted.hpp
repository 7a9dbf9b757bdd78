// Changes that somebody accepted, with their reason: said, and no longer counted, until they expire or get
// worse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/gate.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

struct Policy;

/// The step from the baseline's centre above which a regression counts although a change of the metric was
/// accepted: by more than its tolerance worse than the accepted value. `blank` says the metric, its unit and
/// direction; nullopt where no change of it counts on the day of `when` (RFC 3339).
std::optional<double> accepted_above(const baseline::Baseline& baseline, const Verdict& blank,
                                     const Scale& scale, const std::string& when);

/// Marks a regression as advisory where the baseline's log holds an accepted change of the metric that counts
/// on the day of `when` (RFC 3339), and the metric is not worse than the accepted value by more than its
/// tolerance: a regression on average and in the middle one of its rounds, what is still in doubt at the
/// worse end of its interval. Appends a remark for each accepted change that has expired and still counts.
void apply_accepted(std::vector<Verdict>& verdicts, const baseline::Baseline& baseline, const Policy& policy,
                    const std::string& when, std::vector<std::string>& remarks);

}  // namespace gpugauge::judge
