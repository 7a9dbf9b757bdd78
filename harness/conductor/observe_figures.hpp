// The figures of an observation: the judges' result for each metric. Pure.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::conductor {

/// Adds one figure per metric, as observe() says; their scopes have the metric and the suite's own library only. The comparison gives its slowdown; where that shows
/// nothing, a failed physical limit does. Figures of the gauge's own kernels have diagnose::own_library as
/// library.
void add_figures(const std::vector<judge::Verdict>& verdicts, diagnose::Observation& out);

}  // namespace gpugauge::conductor
