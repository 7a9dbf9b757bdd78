// From rounds, verdicts and the baseline to the observation that a diagnosis reads. Pure.
#pragma once

#include "baseline/baseline.hpp"
#include "diagnose/observation.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {

/// What was seen of one device: a figure per baseline verdict that says something (ok: factor 1; regressed
/// and improved: the measured ratio; what could not be shown is left out), or where none regressed per physical
/// verdict that fails (the ratio to the limit), the host's counters and the GPU's telemetry over all rounds, settings,
/// environment, and what differs from the baseline's time. Counters that are as high in the baseline are left
/// out: they are no news. `before` may be nullptr.
diagnose::Observation observe(const report::DeviceReport& device, const baseline::Baseline* before);

}  // namespace gpugauge::conductor
