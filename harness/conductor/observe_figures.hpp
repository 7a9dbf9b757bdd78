// The figures of an observation: what the judges said of each metric. Pure.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::conductor {

/// Adds one figure a metric, as observe() says: what it is compared with tells how slow it became, and where
/// that shows nothing a physical limit that failed does. The gauge's own kernels have diagnose::own_library
/// as their library.
void add_figures(const std::vector<judge::Verdict>& verdicts, diagnose::Observation& out);

}  // namespace gpugauge::conductor
