// Compares the clocks and link that telemetry saw under load with what the GPU supports.
#pragma once

#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Returns verdicts "clocks/sm", "clocks/sm_products" and "clocks/memory", each only if measured under load,
/// and those of judge_throttled() and judge_link_under_load():
/// - clocks/sm: the highest SM clock that the benchmarks measured is below half of gpu.sm_clock_max_hz;
///   failed below 30%. (A power cap lowers the clock in products, but hardly in light work.) Also in doubt
///   below 95%, where NVML's reason is a clock that was set (applications_clocks) and is not the board's
///   default; and where light work was measured below 95% of the clock that held_clock() knows of the model,
///   and NVML names neither power nor heat for it.
/// - clocks/sm_products: the lowest SM clock of a product, convolution or attention is below half of
///   gpu.sm_clock_max_hz. Advisory, since low-power boards do this at their own limit. Counted if the limit
///   was lowered below the default, or NVML reports heat, a hardware slowdown or a power brake. Never failed.
/// - clocks/memory: the highest memory clock during benchmarks of class hbm is below 90% of
///   gpu.memory_clock_max_hz; failed below 60%. Not for integrated GPUs.
/// A low clock is inconclusive and counted, with NVML's reasons if telemetry has them: power caps, heat and
/// clocks set on purpose are legitimate, and cannot be told from a fault here. A failure becomes inconclusive
/// if a lowered power limit, or application or locked clocks, explain it, or if NVML gave no reasons.
/// Advisory for a part of a GPU.
std::vector<Verdict> judge_under_load(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
