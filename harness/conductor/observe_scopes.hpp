// What the figures of an observation are limited to, by the benchmarks that they come from. Pure.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Fills the scope of each figure from the id and the parameters of its benchmark in `runs`: type and layout,
/// size, whether a product's sizes suit Tensor Cores, direction, and phase. Figures of whole classes have
/// none. A framework's figures get theirs from add_framework_notes().
void add_scopes(const std::vector<result::Run>& runs, diagnose::Observation& out);

}  // namespace gpugauge::conductor
