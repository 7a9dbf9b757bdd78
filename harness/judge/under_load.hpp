// What telemetry saw of a GPU's clocks and link while it worked, against what it can do.
#pragma once

#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Verdicts named "clocks/sm", "clocks/sm_products" and "clocks/memory", each only where it was measured under
/// load, with those of judge_throttled() and judge_link_under_load():
/// - clocks/sm: the highest SM clock that the benchmarks themselves measured (a power cap lowers it in
///   products, and hardly in what needs little power) below half of gpu.sm_clock_max_hz; failed below 30%.
/// - clocks/sm_products: the lowest SM clock of a product, convolution or attention below half of
///   gpu.sm_clock_max_hz. Advisory, since boards of little power run products so at their own limit, but
///   where the limit was lowered below the default, or NVML names heat, a hardware slowdown or a power brake.
///   Never failed.
/// - clocks/memory: the highest memory clock while benchmarks of class hbm ran below 90% of
///   gpu.memory_clock_max_hz; failed below 60%. Not of integrated GPUs.
/// Low is inconclusive and counted, with NVML's reasons where telemetry has them: power caps, heat and clocks
/// that somebody set are legitimate, and nothing here tells them from a fault. What would be a failure is
/// inconclusive, too, where a lowered power limit or application or locked clocks explain it, or NVML gave no
/// reasons. Advisory for a part of a GPU.
std::vector<Verdict> judge_under_load(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
