// Verdicts on the GPU's own health: faults of its memory, and errors that the driver reported (Xid).
#pragma once

#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// "health/memory" and "health/xid" of each GPU that the run measured; "/UUID" follows where it measured
/// several. "health/memory" has failed where a row could not be remapped, or where uncorrectable errors were
/// counted during a round. It is inconclusive where a repair waits for a reset, or errors came before.
/// "health/xid" has failed for an Xid that the table blames on the machine, and is inconclusive for a mild or
/// unknown one. A healthy GPU has no verdict, and neither has a GPU that did not tell.
std::vector<Verdict> judge_gpu_health(const result::Run& run);

}  // namespace gpugauge::judge
