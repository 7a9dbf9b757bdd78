// What a diagnosis is told of faults of the memory of the GPUs that a run measured.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Whether a row waits for a reset or could not be remapped, and how many uncorrected errors were counted
/// since the driver was loaded: of the GPU that is worst off, at the end of the last round. Nothing of what
/// no GPU tells.
void add_gpu_memory(const std::vector<result::Run>& rounds, diagnose::Observation& out);

}  // namespace gpugauge::conductor
