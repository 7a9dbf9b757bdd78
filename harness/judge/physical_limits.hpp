// A metric against what is possible: the limit that its definition gives, the device's memory bus, its link
// to the host, and the peak of its SMs at the clock that they had.
#pragma once

#include <string>
#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// A verdict for every limit that there is for the metric `key`; none where nothing is known to hold it
/// against. Failed above the limit, which is impossible, and below the share that a healthy device reaches
/// (floors.hpp) where the metric is declared saturating and the whole chip was measured. Advisory where the run did not
/// record what the limit follows from, or does not tell it (integrated GPUs), and one verdict named
/// "peaks/products" for all products where nothing is known of the compute capability. `metric` must have
/// values.
std::vector<Verdict> judge_limits(const std::string& key, const MetricValues& metric, const result::Run& run);

}  // namespace gpugauge::judge
