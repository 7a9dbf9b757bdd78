// Adds what products noted about themselves to an observation. Pure.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds the library (the benchmark's note library) to figures, and the setting cublas.math_mode where a
/// process reports it. That setting is the mode that the handles of products which rely on it really had.
/// Where processes differ, a mode other than tf32 is taken. Adds to the numerics the error of each product
/// that may be in TF32 and was computed in fp32, unless it was in the rounds of `before`; nullptr = nothing to
/// compare with.
void add_product_notes(const std::vector<result::Run>& runs, const std::vector<result::Run>* before,
                       diagnose::Observation& out);

}  // namespace gpugauge::conductor
