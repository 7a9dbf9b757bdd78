#include "judge/modes.hpp"

#include <algorithm>
#include <vector>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// Distance between the quarter points of sorted values, by the nearest ranks.
double interquartile_range(std::span<const double> sorted) {
  const std::size_t quarter = sorted.size() / 4;
  return sorted[sorted.size() - 1 - quarter] - sorted[quarter];
}

}  // namespace

std::optional<Modes> two_modes(std::span<const double> values, double least_gap) {
  if (values.size() < 4) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t least = std::max<std::size_t>(2, (sorted.size() + 9) / 10);
  std::size_t at = 0;
  double gap = -1;
  for (std::size_t i = least; i + least <= sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] > gap) {
      gap = sorted[i] - sorted[i - 1];
      at = i;
    }
  }
  if (at == 0) return std::nullopt;
  const std::span<const double> lower(sorted.data(), at);
  const std::span<const double> upper(sorted.data() + at, sorted.size() - at);
  if (!(gap > least_gap && gap > interquartile_range(lower) && gap > interquartile_range(upper)))
    return std::nullopt;
  return Modes{median(lower), median(upper), static_cast<double>(at) / static_cast<double>(sorted.size()),
               gap};
}

}  // namespace gpugauge::judge
