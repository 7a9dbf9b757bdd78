// Changes that somebody accepted, with their reason: said, and no longer counted, until they expire or get
// worse.
#pragma once

#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// Marks a regression as advisory where the baseline's log holds an accepted change of the metric that counts
/// on the day of `when` (RFC 3339), and the metric is not worse than the accepted value by more than its
/// tolerance. Appends a remark for each accepted change that has expired and still shows.
void apply_accepted(std::vector<Verdict>& verdicts, const baseline::Baseline& baseline,
                    const std::string& when, std::vector<std::string>& remarks);

}  // namespace gpugauge::judge
