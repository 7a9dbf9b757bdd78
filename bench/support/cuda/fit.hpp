// A line through points that have equal relative precision.
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace gpugauge::bench::cuda {

/// y = fixed + slope x.
struct Line {
  double fixed = 0;             ///< value at x = 0
  double slope = 0;             ///< change per unit of x
  double largest_residual = 0;  ///< largest |fixed + slope x - y| / y of all points
};

/// Returns the fixed and slope that minimise the sum of ((fixed + slope x - y) / y)^2. Times from
/// microseconds to milliseconds then count equally. Throws std::invalid_argument for fewer than two different
/// x, or a y that is not above 0.
inline Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size()) throw std::invalid_argument("fit_line: as many x as y are needed");
  double sum = 0;
  double sum_x = 0;
  double sum_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(y[i] > 0)) throw std::invalid_argument("fit_line: every y must be above 0");
    const double weight = 1 / (y[i] * y[i]);
    sum += weight;
    sum_x += weight * x[i];
    sum_y += weight * y[i];
  }
  const double mean_x = sum_x / sum;
  const double mean_y = sum_y / sum;
  double spread = 0;
  double together = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (y[i] * y[i]);
    spread += weight * (x[i] - mean_x) * (x[i] - mean_x);
    together += weight * (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (!(spread > 0)) throw std::invalid_argument("fit_line: two different x are needed");
  Line line;
  line.slope = together / spread;
  line.fixed = mean_y - line.slope * mean_x;
  for (std::size_t i = 0; i < x.size(); ++i)
    line.largest_residual =
        std::fmax(line.largest_residual, std::fabs(line.fixed + line.slope * x[i] - y[i]) / y[i]);
  return line;
}

}  // namespace gpugauge::bench::cuda
