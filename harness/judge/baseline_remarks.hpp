// Remarks on a baseline as a whole, in addition to its verdicts.
#pragma once

#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/gate.hpp"
#include "judge/judge.hpp"

namespace gpugauge::judge {

/// Returns one sentence for each that applies: another node's baseline, a provisional one, too few rounds,
/// slow or noisy rounds of its own, judged rounds that began before its last round.
std::vector<std::string> remarks_on(const baseline::Baseline& baseline, const Calibration& calibration,
                                    const Policy& policy, const std::vector<result::Run>& rounds);

}  // namespace gpugauge::judge
