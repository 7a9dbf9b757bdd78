// How the values of a figure differ between processes. Pure.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {

/// Adds to each figure of `out` the spread of its processes in the rounds, where there are three or more. With
/// the rounds of a baseline also whether they stand in two groups, by the measure of the judge: two groups are
/// told only of a metric whose healthy spread is known. `before` may be nullptr.
void add_spreads(const report::DeviceReport& device, const std::vector<result::Run>* before,
                 diagnose::Observation& out);

}  // namespace gpugauge::conductor
