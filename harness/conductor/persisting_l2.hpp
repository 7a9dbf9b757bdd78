// What the families found of the part of L2 that can be set aside, before they gave it back.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds to the observation what the processes of the rounds found before they measured anything: the largest
/// limit of persisting L2, and, where one of them read L2 clearly faster after it had reset it, that this was
/// tried and what came of it. Adds nothing where no process says anything of it.
void add_persisting_l2(const std::vector<result::Run>& runs, diagnose::Observation& out);

}  // namespace gpugauge::conductor
