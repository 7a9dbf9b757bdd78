// What the families found of the part of L2 that can be set aside, before they gave it back.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds to the observation what the processes of the rounds found before they measured anything: where one
/// of them read L2 clearly faster after it had reset persisting L2, that this was tried, what came of it,
/// and the largest limit that was found; without that only a limit of 0, for any other is the driver's own.
/// Adds nothing where no process says anything of it.
void add_persisting_l2(const std::vector<result::Run>& runs, diagnose::Observation& out);

}  // namespace gpugauge::conductor
