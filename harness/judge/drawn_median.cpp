#include "judge/drawn_median.hpp"

#include <algorithm>
#include <stdexcept>

#include "judge/statistics.hpp"

namespace gpugauge::judge {

double drawn_median_variance(std::vector<double> values, std::size_t count) {
  if (values.empty() || count == 0) throw std::invalid_argument("a median of nothing");
  std::sort(values.begin(), values.end());
  const int drawn = static_cast<int>((count - 1) / 2 * 2 + 1);  // odd: its median is one of them
  double below = 0, mean = 0, square = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(values.size());
    const double up_to = i + 1 == values.size() ? 1 : binomial_upper_tail(drawn, share, drawn / 2 + 1);
    const double from_first = values[i] - values.front();  // small numbers: their squares keep their digits
    mean += (up_to - below) * from_first;
    square += (up_to - below) * from_first * from_first;
    below = up_to;
  }
  return std::max(0.0, square - mean * mean);
}

}  // namespace gpugauge::judge
