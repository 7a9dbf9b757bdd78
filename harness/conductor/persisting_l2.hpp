// What the families found out about persisting L2 (the part of L2 that can be set aside).
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds what the processes of the rounds found before they measured. Where one read L2 clearly faster after
/// it had reset persisting L2, and not by a higher SM clock: that this was tried, its result, and the largest
/// limit found. Otherwise it adds only a limit of 0, because any other limit is the driver's own. Adds nothing
/// where no process reports on it.
void add_persisting_l2(const std::vector<result::Run>& runs, diagnose::Observation& out);

}  // namespace gpugauge::conductor
