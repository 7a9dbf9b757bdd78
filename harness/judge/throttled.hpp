// What held the GPU back while it worked, whatever its clock was: heat, hardware, a lowered power limit.
#pragma once

#include <string_view>
#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// True for NVML's reasons that no board shows by design: hw_slowdown, hw_thermal, hw_power_brake, sw_thermal.
bool heat_or_hardware(std::string_view word);

/// Verdicts on a GPU whose benchmarks measured the SM clock, inconclusive and counted, of a part of a GPU
/// advisory:
/// - clocks/throttled: NVML named a reason of hardware in two samples or more, or sw_thermal in more than a
///   tenth of them.
/// - power/limit: the power limit is below its default.
/// - clocks/telemetry: telemetry has neither reasons nor clocks of this GPU, so that nothing of this is known;
///   advisory.
std::vector<Verdict> judge_throttled(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
