// Detects two run files that hold one measurement, whatever their ids.
#pragma once

#include "result/run_file.hpp"

namespace gpugauge::baseline {

/// True if both runs are of one device, started at the same time by their files, and hold the same samples,
/// process by process in order of execution. One is then a copy, perhaps under another id. False if neither
/// holds a benchmark. Both must be read with result::Detail::all.
bool same_measurement(const result::Run& a, const result::Run& b);

}  // namespace gpugauge::baseline
