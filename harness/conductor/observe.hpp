// Turns rounds, verdicts and the baseline into the observation that a diagnosis reads. Pure.
#pragma once

#include <vector>

#include "baseline/baseline.hpp"
#include "diagnose/observation.hpp"
#include "report/summary.hpp"
#include "stack/gpu_report.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::conductor {

/// What the doctor saw of a node when it was measured; nullptr where nobody looked.
struct SeenNode {
  const stack::Inventory* now = nullptr;     ///< at the time of the rounds
  const stack::Inventory* before = nullptr;  ///< of the same node, at the time of what they are compared with
};

/// The observation of one device. Each conclusive baseline verdict gives a figure: ok has factor 1; regressed
/// and improved have the measured ratio; unstable has none, but its spread (add_spreads). If none regressed,
/// each failed physical verdict gives the ratio to its limit. What failed without a figure is an error, and an
/// Xid a line of the log (add_failures), as is what NCCL said of its ways (add_nccl). Also adds the host's
/// counters and the GPU's telemetry over all rounds, the settings, the environment, and what changed since the
/// baseline. Counters that are as high in the baseline are no news and left out. `node` adds facts for GPUs
/// and links (add_stack_facts), and where both its sides are known, what differs between them
/// (changed_stack_facts). `before` may be nullptr.
diagnose::Observation observe(const report::DeviceReport& device, const baseline::Baseline* before,
                              const SeenNode& node = {});

/// The observation of one device of a fleet, against others of its kind that were measured now; its verdicts
/// against them are given as those of a baseline. Their clocks, power, links and loads are what is expected of
/// it. What most of them agree on and the device has otherwise is changed. Without any it is as observe()
/// without a baseline.
diagnose::Observation observe_among(const report::DeviceReport& device,
                                    const std::vector<result::Run>& peers);

/// Adds what is known of this machine without measuring: the facts of its fingerprint, and what the doctor saw of the
/// node. What the observation holds already stays.
void add_machine(const result::Fingerprint& fingerprint, const stack::Inventory& node,
                 diagnose::Observation& out);

/// The observation of a node on which no GPU can be used: that CUDA does not start (class init fails; not said
/// of a node without NVIDIA hardware, which has nothing to start), what cuInit and nvmlInit answered, and the
/// node's facts. `node` is what the doctor saw, its questions to the driver included; `when` is the time, RFC
/// 3339. Nothing was measured and nothing compared.
diagnose::Observation observe_unusable(const stack::GpuReport& gpus, const result::Fingerprint& fingerprint,
                                       const stack::Inventory& node, const std::string& when);

}  // namespace gpugauge::conductor
