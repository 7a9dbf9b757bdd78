// Tests whether values fall into two groups. Plain C++.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gpugauge::bench::memory {

struct Groups {
  double low = 0;        ///< mean of the lower group
  double high = 0;       ///< mean of the upper group
  double low_share = 0;  ///< share of the values in the lower group
  bool separate = false;
};

/// Cuts the sorted values where the sum of squares within the two parts is smallest (Otsu). The groups are
/// separate when each holds at least 5% of the values, and their means are further apart than three times the
/// sum of their standard deviations. A single normal or uniform distribution, cut anywhere, stays below a
/// factor of 2.
/// @pre at least two values
inline Groups two_groups(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const double middle = values[values.size() / 2];  // squared differences from it lose no digits
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value - middle;
    squares += (value - middle) * (value - middle);
  }
  Groups best;
  double best_within = INFINITY;
  double low_sum = 0;
  double low_squares = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double value = values[i - 1] - middle;
    low_sum += value;
    low_squares += value * value;
    if (values[i] == values[i - 1]) continue;
    const auto low = static_cast<double>(i);
    const double high = count - low;
    const double low_within = std::fmax(0, low_squares - low_sum * low_sum / low);
    const double high_within = std::fmax(0, squares - low_squares - (sum - low_sum) * (sum - low_sum) / high);
    if (low_within + high_within >= best_within) continue;
    best_within = low_within + high_within;
    best.low = middle + low_sum / low;
    best.high = middle + (sum - low_sum) / high;
    best.low_share = low / count;
    const double spread = std::sqrt(low_within / low) + std::sqrt(high_within / high);
    best.separate = best.low_share >= 0.05 && best.low_share <= 0.95 && best.high - best.low > 3 * spread;
  }
  return best;
}

}  // namespace gpugauge::bench::memory
