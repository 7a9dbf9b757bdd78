// Whether two run files hold one measurement, whatever they call themselves.
#pragma once

#include "result/run_file.hpp"

namespace gpugauge::baseline {

/// True where both runs are of one device, started at the same time (as their files write it), and hold the
/// same samples, process by process in the order in which they were executed: a copy, perhaps under another
/// id. False where neither holds a benchmark: there is nothing to be the same. Both must have been read with
/// result::Detail::all.
bool same_measurement(const result::Run& a, const result::Run& b);

}  // namespace gpugauge::baseline
