// Facts about faults of the GPUs' memory, for a diagnosis.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds whether a row waits for a reset or could not be remapped, and the uncorrected errors since the driver
/// was loaded. Each fact is the highest of the measured GPUs at the end of the last round. Facts that no GPU
/// tells are left out.
void add_gpu_memory(const std::vector<result::Run>& rounds, diagnose::Observation& out);

}  // namespace gpugauge::conductor
