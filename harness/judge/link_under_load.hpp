// Compares the PCI Express link that telemetry saw during copies with what GPU and slot support.
#pragma once

#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Returns the verdict "link/pcie" if benchmarks of class h2d or d2h ran and telemetry saw the link.
/// Inconclusive and counted: the highest generation or width seen is below what NVML reports for GPU and slot
/// together, or the GPU has more lanes than that by the fingerprint (gpu.N.pcie_max_width). Inconclusive and
/// advisory where the link proves nothing: a copy was faster than it (NVLink-C2C, or a link that slept), the
/// GPU is integrated, or it is of a newer generation than the slot. Never failed.
std::vector<Verdict> judge_link_under_load(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
