// What a diagnosis is told of the NVLinks between the GPUs that a run measured.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Of links that lead to NVSwitches: how many the GPU has that has the fewest up, and how many a board
/// has, up or down, as telemetry saw them; and that they are the path, where every GPU has one. Nothing of
/// cards in slots, which may have a bridge or not.
void add_nvlinks(const std::vector<result::Run>& rounds, diagnose::Observation& out);

}  // namespace gpugauge::conductor
