// Adds what library products noted about themselves to an observation.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds the library (the benchmark's note library) to figures, and the setting cublas.math_mode where a
/// process reports it. That setting is the mode that the handles of products which rely on it really had.
/// Where processes differ, a mode other than tf32 is taken.
void add_product_notes(const std::vector<result::Run>& runs, diagnose::Observation& out);

}  // namespace gpugauge::conductor
