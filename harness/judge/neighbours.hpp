// Allows for other processes that used the GPU: they take a part of it, so that it seems slow.
#pragma once

#include <optional>
#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// How many other processes computed on a GPU of the run before the measuring began: the most of any of its
/// rounds and GPUs. nullopt where that is not known. A process that computed nothing counts as well: NVML does
/// not tell the two apart.
std::optional<int> other_processes(const result::Run& run);

/// Makes a verdict inconclusive that failed by its share of a limit, where there were other processes, and says
/// so in its reason. What is impossible, wrong or did not run stays failed.
void allow_for_neighbours(Verdict& verdict, const result::Run& run);

/// Makes the regressions of a GPU's own metrics inconclusive (Verdict::beside_others) where the GPU was at work for
/// others when each of these rounds began, and says so in their reasons: by NVML's utilization then, 10% or more. A
/// process that only waits excuses nothing, and one round on a free GPU is enough to confirm.
void allow_for_busy_neighbours(std::vector<Verdict>& verdicts, const std::vector<result::Run>& rounds);

}  // namespace gpugauge::judge
