// Whether the GPU itself is sound: what its memory counts, and what the driver reported of it meanwhile.
#pragma once

#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Of each GPU that the run measured, "health/memory" and "health/xid", with "/UUID" behind where it measured
/// several. The former has failed where a row could not be remapped, or uncorrectable errors were counted
/// while it was measured; it is inconclusive where a repair waits for a reset, or errors were counted before.
/// The latter has failed by an Xid that speaks against the machine, and is inconclusive by a mild or unknown
/// one. A GPU in which nothing is wrong has no verdict, nor has one that did not tell.
std::vector<Verdict> judge_gpu_health(const result::Run& run);

}  // namespace gpugauge::judge
