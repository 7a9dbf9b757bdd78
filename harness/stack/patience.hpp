// How long a process that asks the driver may take.
#pragma once

#include <string>

#include "stack/tree.hpp"

namespace gpugauge::stack {

/// Seconds for starting the driver below `tree`, where one GPU may take `limit_seconds`. Without persistence
/// mode the first program starts every GPU anew, one after the other, so each further GPU on the bus adds a
/// quarter: eight A100 were seen to take 25 to 30 s.
double start_limit(const Tree& tree, double limit_seconds);

/// True if these lines of the inventory's child hold the answer of every GPU that NVML counted, and all of
/// them stay started (persistence mode): no slow start is left that could explain a wait.
bool all_stay_started(const std::string& lines);

}  // namespace gpugauge::stack
