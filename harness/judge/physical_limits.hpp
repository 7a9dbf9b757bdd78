// Compares a metric with physical limits: its definition's limit, the memory bus, the link to the host, and
// the SMs' peak, at the measured clock and per clock.
#pragma once

#include <string>
#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// Returns a verdict for each limit of the metric `key`; empty if none is known. Failed: above the limit,
/// which is impossible, or below the share that a healthy device reaches (floors.hpp) where the metric is
/// declared saturating and the whole chip was measured. Advisory: the run did not record what the limit is
/// derived from, or cannot (integrated GPUs). A product's rate and its operations per clock are both held
/// against the peak per clock; the rate's share at the highest clock is reported and not held. If the compute capability is unknown, all products share one
/// verdict "peaks/products". `metric` must have values.
std::vector<Verdict> judge_limits(const std::string& key, const MetricValues& metric, const result::Run& run);

}  // namespace gpugauge::judge
