#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

namespace gpugauge::bench {

double median(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("a median needs at least one value");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double nearest_rank(std::vector<double> values, double quantile) {
  if (values.empty()) throw std::invalid_argument("a quantile needs at least one value");
  if (!(quantile > 0 && quantile <= 1)) throw std::invalid_argument("a quantile lies in (0, 1]");
  const double count = static_cast<double>(values.size());
  // The product's rounding error must not push an exact rank (0.99 * 100) up to the next one.
  const double rank = std::ceil(quantile * count * (1 - 1e-12));
  const auto index = static_cast<std::ptrdiff_t>(std::clamp(rank, 1.0, count)) - 1;
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

double seconds_per_operation(const result::Batches& batches, Statistic statistic) {
  const std::vector<double>& seconds = batches.seconds_per_operation;
  switch (statistic) {
    case Statistic::median:
      return median(seconds);
    case Statistic::p90:
      return nearest_rank(seconds, 0.90);
    case Statistic::p99:
      return nearest_rank(seconds, 0.99);
    case Statistic::minimum:
      if (seconds.empty()) throw std::invalid_argument("a minimum needs at least one value");
      return *std::min_element(seconds.begin(), seconds.end());
    case Statistic::mean:
      if (seconds.empty()) throw std::invalid_argument("a mean needs at least one value");
      return batches.window_seconds /
             (static_cast<double>(seconds.size()) * static_cast<double>(batches.operations_per_batch));
  }
  throw std::invalid_argument("an unknown statistic");
}

double rounded(double value) {
  return std::strtod(fmt::format("{:.6e}", value).c_str(), nullptr);
}

}  // namespace gpugauge::bench
