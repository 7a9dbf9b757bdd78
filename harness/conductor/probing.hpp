// The probes of a check: what would separate the leading causes is measured, cheapest first, and the
// diagnosis made again with the answers. Verdicts are the judge's alone and stay as they are.
#pragma once

#include "conductor/conductor.hpp"

namespace gpugauge::conductor {

/// What all probes of one device may cost.
inline constexpr double probes_most_seconds = 60;
inline constexpr int probes_most = 4;

/// Asks what is worth asking of the device and writes the answers into its observation, its diagnosis and its
/// probes; nothing else of it changes. Where nothing is wrong, or a cause is confident and clearly ahead,
/// nothing is asked. `catalogue` knows what can be measured, `before` may be nullptr, `seconds_left` is what
/// the budget of the check still has. A probe that fails, hangs or shows nothing ends as one without an
/// answer, and so does the best one for which no time is left. Returns false when a signal asked the command
/// to stop.
bool ask_probes(const MeasureOptions& options, const Target& target, const Catalogue& catalogue,
                const baseline::Baseline* before, double seconds_left, report::DeviceReport& device);

}  // namespace gpugauge::conductor
