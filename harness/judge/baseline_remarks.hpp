// What is to be said of a baseline beside the verdicts that it gives.
#pragma once

#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/gate.hpp"
#include "judge/judge.hpp"

namespace gpugauge::judge {

/// One sentence each: another node's, provisional, too few rounds, slow or noisy rounds of its own, and that
/// the rounds that are judged, one or more, began before the last one of the baseline.
std::vector<std::string> remarks_on(const baseline::Baseline& baseline, const Calibration& calibration,
                                    const Policy& policy, const std::vector<result::Run>& rounds);

}  // namespace gpugauge::judge
