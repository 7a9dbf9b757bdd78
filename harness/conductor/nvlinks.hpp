// Tells a diagnosis about the NVLinks between the GPUs that a run measured.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// For links to NVSwitches, adds two telemetry counts: the fewest links that are up on any GPU, and the links
/// per board, up or down. Adds that NVLink is the path where every GPU has links. Adds nothing for cards in
/// slots, which may or may not have a bridge.
void add_nvlinks(const std::vector<result::Run>& rounds, diagnose::Observation& out);

}  // namespace gpugauge::conductor
