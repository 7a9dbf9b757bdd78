// Metrics that only a baseline or only the rounds now hold.
#pragma once

#include <string>
#include <vector>

#include "judge/collect.hpp"
#include "judge/judge.hpp"
#include "judge/pinned.hpp"

namespace gpugauge::judge {

/// The verdict on a metric of the baseline that the round does not hold: missing, or why it is not.
Verdict not_measured(const std::string& key, const MetricValues& then, const Collected& now,
                     const result::Run& run);

/// Verdicts on the metrics that the baseline does not hold. Families that were left out of it
/// (baseline::Baseline::left_out) are not new.
std::vector<Verdict> new_metrics(const Collected& now, const Pinned& pinned,
                                 const std::vector<std::string>& left_out);

}  // namespace gpugauge::judge
