// What is to be said of a baseline beside the verdicts that it gives.
#pragma once

#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/gate.hpp"
#include "judge/judge.hpp"

namespace gpugauge::judge {

/// One sentence each: another node's, provisional, too few rounds, slow or noisy rounds of its own.
std::vector<std::string> remarks_on(const baseline::Baseline& baseline, const Calibration& calibration,
                                    const Policy& policy);

}  // namespace gpugauge::judge
