// The PCI Express link that telemetry saw while copies ran, against what GPU and slot can do.
#pragma once

#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// The verdict "link/pcie", where benchmarks of class h2d or d2h ran and telemetry saw the link: inconclusive
/// and counted where its generation or width, at their highest, is below what NVML says that GPU and slot can
/// do together, or where the GPU has more lanes than that by the fingerprint (gpu.N.pcie_max_width).
/// Inconclusive and advisory where the link is no witness: a copy was faster than it (NVLink-C2C, a link that
/// slept), the GPU is integrated, or it is of a newer generation than the slot. Never failed.
std::vector<Verdict> judge_link_under_load(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
