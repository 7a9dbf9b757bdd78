#include "judge/drawn_median.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// Chances that the median of `drawn` values (an odd number) is the first of `values` in order, the second,
/// and so on.
std::vector<double> chances_of_each(std::size_t values, int drawn) {
  std::vector<double> out(values);
  double below = 0;
  for (std::size_t i = 0; i < values; ++i) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(values);
    const double up_to = i + 1 == values ? 1 : binomial_upper_tail(drawn, share, drawn / 2 + 1);
    out[i] = up_to - below;
    below = up_to;
  }
  return out;
}

/// The same, cached for small numbers such as processes: a fleet's night asks for it a million times.
const std::vector<double>& chances(std::size_t values, int drawn) {
  constexpr int few = 64;
  thread_local std::map<std::pair<std::size_t, int>, std::vector<double>> known;
  thread_local std::vector<double> many;
  if (values > few || drawn > few) return many = chances_of_each(values, drawn);
  std::vector<double>& out = known[{values, drawn}];
  if (out.empty()) out = chances_of_each(values, drawn);
  return out;
}

}  // namespace

double drawn_median_variance(std::vector<double> values, std::size_t count) {
  if (values.empty() || count == 0) throw std::invalid_argument("a median of nothing");
  std::sort(values.begin(), values.end());
  const int drawn = static_cast<int>((count - 1) / 2 * 2 + 1);  // odd, so that the median is one of them
  const std::vector<double>& chance = chances(values.size(), drawn);
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double from_first = values[i] - values.front();  // small differences keep their digits when squared
    mean += chance[i] * from_first;
    square += chance[i] * from_first * from_first;
  }
  return std::max(0.0, square - mean * mean);
}

}  // namespace gpugauge::judge
