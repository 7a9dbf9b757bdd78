// The probes of a check: measures what separates the leading causes, cheapest first, then diagnoses again
// with the answers. Verdicts do not change.
#pragma once

#include "conductor/conductor.hpp"

namespace gpugauge::conductor {

/// Limits on all probes of one device together: seconds, and number of probes.
inline constexpr double probes_most_seconds = 60;
inline constexpr int probes_most = 4;

/// Runs the worthwhile probes of the device and updates its observation, diagnosis and probes; nothing else
/// changes. Asks nothing where nothing is wrong or a confident cause is clearly ahead. `before` may be
/// nullptr; `seconds_left` is the rest of the check's budget. A probe that fails, hangs or shows nothing is
/// recorded as unanswered. So is the best probe for which no time is left. Returns false when a signal asked
/// the command to stop.
bool ask_probes(const MeasureOptions& options, const Target& target, const Catalogue& catalogue,
                const baseline::Baseline* before, double seconds_left, report::DeviceReport& device);

}  // namespace gpugauge::conductor
