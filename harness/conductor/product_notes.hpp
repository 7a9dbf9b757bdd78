// What library products noted about themselves, in the words of an observation.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds to the figures whose call they are of (the benchmark's note library), and as the setting
/// cublas.math_mode which mode the handles of products that rely on it really had, where a process says one.
/// Of several processes that differ it is the one that is not tf32.
void add_product_notes(const std::vector<result::Run>& runs, diagnose::Observation& out);

}  // namespace gpugauge::conductor
