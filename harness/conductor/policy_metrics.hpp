// What the entries of a policy can match (judge/policy_reach.hpp): what can be measured here, and what was.
#pragma once

#include <vector>

#include "conductor/catalogue.hpp"
#include "judge/policy_reach.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {

/// Every benchmark of the catalogue with each class of its metrics, and the silent families.
judge::KnownBenchmarks known_benchmarks(const Catalogue& catalogue);

/// What these devices measured, were compared with and were judged for.
judge::SeenMetrics seen_in(const std::vector<report::DeviceReport>& devices);

}  // namespace gpugauge::conductor
