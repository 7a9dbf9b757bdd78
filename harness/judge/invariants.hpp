// Ratios between two metrics of one run that hold on every healthy machine. A table, without code per
// benchmark.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace gpugauge::judge {

/// numerator / denominator must lie within [minimum, maximum]. Checked where both metrics were measured.
struct Invariant {
  std::string_view numerator;    ///< result::metric_key
  std::string_view denominator;  ///< result::metric_key
  double minimum = 0;            ///< 0 = no lower bound
  double maximum = 0;            ///< 0 = no upper bound
  std::string_view why;          ///< what holds, and what a breach usually means; one clause
};

/// All rows, with static lifetime.
std::span<const Invariant> invariants();

}  // namespace gpugauge::judge
