// The figures of an observation: the judges' result for each metric. Pure.
#pragma once

#include <optional>
#include <vector>

#include "diagnose/observation.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::conductor {

/// How many times as slow a compared metric is: 1 = unchanged, 2 = twice as slow. nullopt where a side is
/// missing or not above 0.
std::optional<double> slowness_of(const judge::Verdict& verdict);

/// Adds one figure per metric, as observe() says. The comparison gives its slowdown; where that shows nothing,
/// a failed physical limit does. Each has its value where its unit is known. Their scopes have the metric, and
/// diagnose::own_library as library where the gauge's own kernels were measured; add_scopes() fills the rest.
void add_figures(const std::vector<judge::Verdict>& verdicts, diagnose::Observation& out);

}  // namespace gpugauge::conductor
