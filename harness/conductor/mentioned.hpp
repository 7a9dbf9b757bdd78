// What a check of several devices mentions beside its verdict.
#pragma once

#include <string>
#include <vector>

#include "report/summary.hpp"

namespace gpugauge::conductor {

/// What the outcomes of the devices count and do not decide by, for the end of a sentence: "; 2 inconclusive (GPU 5:
/// health/memory, power/limit), 9 new". What is in doubt, and what an advisory verdict speaks against, is named with
/// its devices; those of which nothing could be decided are named, too. "" where all is well.
std::string mentioned(const std::vector<report::DeviceReport>& devices);

}  // namespace gpugauge::conductor
