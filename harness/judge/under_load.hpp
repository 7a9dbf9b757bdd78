// What telemetry saw of a GPU's clocks and link while it worked, against what it can do.
#pragma once

#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Verdicts named "clocks/sm", "clocks/sm_products", "clocks/memory" and "link/pcie", each only where it was
/// measured under load:
/// - clocks/sm: the highest SM clock that the benchmarks themselves measured (a power cap lowers it in
///   products, and hardly in what needs little power) below half of gpu.sm_clock_max_hz.
/// - clocks/sm_products: the lowest SM clock of a product, convolution or attention below half of
///   gpu.sm_clock_max_hz. Advisory, since boards of little power run products so at their own limit, but
///   where the limit was lowered below the default, or NVML names heat, a hardware slowdown or a power brake.
/// - clocks/memory: the highest memory clock while benchmarks of class hbm ran below 90% of
///   gpu.memory_clock_max_hz.
/// - link/pcie: generation or width, at their highest while benchmarks of class h2d or d2h ran, below what
///   GPU and slot can do together.
/// Low is inconclusive and counted, with NVML's reasons where telemetry has them: power caps, heat, clocks
/// that somebody set and an idle link are legitimate, and nothing here tells them from a fault. Never failed.
std::vector<Verdict> judge_under_load(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
