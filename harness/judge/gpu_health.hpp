// Verdicts on the GPU's health: memory faults, and errors that the driver reported (Xid).
#pragma once

#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Returns "health/memory" and "health/xid" for each GPU that the run measured, with "/UUID" appended if it
/// measured several. "health/memory" has failed where a row could not be remapped, or uncorrectable errors
/// occurred during a round. It is inconclusive where a repair waits for a reset, or errors occurred earlier.
/// "health/xid" has failed for an Xid that the table attributes to the machine, and is inconclusive for a
/// mild or unknown one. A healthy GPU, or one that reports nothing, has no verdict.
std::vector<Verdict> judge_gpu_health(const result::Run& run);

/// The same with an ok verdict, without a reason, for what a GPU tells and is healthy in. What is absent was
/// not told: there was no telemetry of the GPU, or it has neither ECC nor row remapping.
std::vector<Verdict> told_of_gpu_health(const result::Run& run);

}  // namespace gpugauge::judge
