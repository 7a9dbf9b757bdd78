// Facts about GPU memory faults, for a diagnosis.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds whether a row remapping is pending or failed, and the number of uncorrected errors since the driver
/// was loaded. Each fact is the highest value over the measured GPUs at the end of the last round. Facts that
/// no GPU reports are left out.
void add_gpu_memory(const std::vector<result::Run>& rounds, diagnose::Observation& out);

}  // namespace gpugauge::conductor
