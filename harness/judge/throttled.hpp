// Finds what slowed the GPU under load, whatever its clock: heat, hardware, a lowered power limit.
#pragma once

#include <string_view>
#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// True for NVML's throttle reasons that occur on no board by design: hw_slowdown, hw_thermal,
/// hw_power_brake, sw_thermal.
bool heat_or_hardware(std::string_view word);

/// Returns verdicts on a GPU whose benchmarks measured the SM clock. Inconclusive and counted; advisory for a
/// part of a GPU:
/// - clocks/throttled: NVML reported a hardware reason in two or more samples, or sw_thermal in more than a
///   tenth of them.
/// - power/limit: the power limit is below its default.
/// - clocks/telemetry: telemetry has neither reasons nor clocks of this GPU, so none of this is known;
///   advisory.
std::vector<Verdict> judge_throttled(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
