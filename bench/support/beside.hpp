// What a benchmark reaches of another one of its family that differs from it in one thing, such as the
// layout.
#pragma once

#include <vector>

#include "result/samples.hpp"
#include "support/definition.hpp"

namespace gpugauge::bench {

/// Adds to each result whose definition is held beside another (Definition::beside) and whose process
/// measured that one too: METRIC_over_NAME, the median of each rate relative to that of the other, in the
/// unit "1". Of latencies it is the other's over its own, so that higher is better throughout. It is recorded
/// and never judged, because it falls as well where the other got faster, and both are judged by themselves.
/// Results that are not ok get none. `known` holds the instances of the results.
void add_beside(result::Samples& samples, const std::vector<Instance>& known);

}  // namespace gpugauge::bench
