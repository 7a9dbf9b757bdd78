// The remarks of the runs of two sides.
#pragma once

#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// The remarks of all runs, each once, in the order of the runs: "Before: ...", "After: ..." or "Both sides:
/// ...". A remark that makes a number doubtful matters on either side.
std::vector<std::string> remarks_of_sides(const std::vector<result::Run>& before,
                                          const std::vector<result::Run>& after);

}  // namespace gpugauge::conductor
