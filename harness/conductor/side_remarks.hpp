// What the runs of two sides say of themselves.
#pragma once

#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// The remarks of all runs of both sides, each once: "Before: ...", "After: ..." or "Both sides: ...", in the
/// order of the runs. Whatever makes a number doubtful does so on either side.
std::vector<std::string> remarks_of_sides(const std::vector<result::Run>& before,
                                          const std::vector<result::Run>& after);

}  // namespace gpugauge::conductor
