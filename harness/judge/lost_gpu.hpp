// Reports GPUs that NVML lost during a measurement.
#pragma once

#include <vector>

#include "judge/checksum_sides.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Returns one failed verdict "gpu/lost" for all lost GPUs: the run's own, or those whose links it measured.
/// Empty if none was lost.
std::vector<Verdict> judge_lost_gpus(const result::Run& run);

/// Returns the node's failed verdicts "gpu/lost/UUID", one for each GPU lost while another device was
/// measured. Leaves out GPUs named by judge_lost_gpus() on one of `devices`.
std::vector<Verdict> judge_lost_between(const std::vector<ChecksumSide>& devices);

}  // namespace gpugauge::judge
