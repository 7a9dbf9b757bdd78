// Tells a diagnosis about the NVLinks between the GPUs that a run measured.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// For links to NVSwitches, adds two telemetry counts: the fewest links that are up on any GPU, and how many there must
/// be: as many as another has up, or as the model has. Adds that NVLink is the path where every GPU has links. Adds
/// nothing for cards in slots, which may or may not have a bridge.
void add_nvlinks(const std::vector<result::Run>& rounds, diagnose::Observation& out);

}  // namespace gpugauge::conductor
