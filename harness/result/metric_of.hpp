// A metric of a result by its name.
#pragma once

#include <algorithm>
#include <string_view>

#include "result/samples.hpp"

namespace gpugauge::result {

/// The metric of that name; nullptr if the result has none. Points into `result`.
inline const Metric* metric_of(const BenchmarkResult& result, std::string_view name) {
  const auto found = std::find_if(result.metrics.begin(), result.metrics.end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  return found == result.metrics.end() ? nullptr : &*found;
}

}  // namespace gpugauge::result
