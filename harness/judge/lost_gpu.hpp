// GPUs that NVML called lost while something was measured.
#pragma once

#include <vector>

#include "judge/checksum_sides.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Failed, named "gpu/lost", where the run's own GPU was lost meanwhile, or any of those whose links it
/// measured: one verdict for them all. Empty where none was.
std::vector<Verdict> judge_lost_gpus(const result::Run& run);

/// The node's, named "gpu/lost/UUID": failed for each GPU that was lost while another device was measured,
/// and that no verdict of judge_lost_gpus() on one of `devices` names.
std::vector<Verdict> judge_lost_between(const std::vector<ChecksumSide>& devices);

}  // namespace gpugauge::judge
