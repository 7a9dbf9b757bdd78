// Turns rounds, verdicts and the baseline into the observation that a diagnosis reads. Pure.
#pragma once

#include "baseline/baseline.hpp"
#include "diagnose/observation.hpp"
#include "report/summary.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::conductor {

/// The observation of one device. Each conclusive baseline verdict gives a figure: ok has factor 1; regressed
/// and improved have the measured ratio; unstable has none, but its spread (add_spreads). If none regressed,
/// each failed physical verdict gives the ratio to its limit. What failed without a figure is an error, and an
/// Xid a line of the log (add_failures), as is what NCCL said of its ways (add_nccl). Also adds the host's counters and the GPU's telemetry over all rounds,
/// the settings, the environment, and what changed since the baseline. Counters that are as high in the
/// baseline are no news and left out. `node` is what the doctor sees of the node that was measured, for GPUs
/// and links (add_stack_facts). `before` and `node` may be nullptr.
diagnose::Observation observe(const report::DeviceReport& device, const baseline::Baseline* before,
                              const stack::Inventory* node = nullptr);

}  // namespace gpugauge::conductor
