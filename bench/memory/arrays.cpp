#include "memory/arrays.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "support/statistics.hpp"

namespace gpugauge::bench::memory {

std::size_t array_elements(Trial& trial, std::size_t arrays) {
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  const std::size_t bytes = std::max(gibibyte, 4 * cuda::device().l2_bytes);
  if (const auto reason = cuda::why_too_large(arrays * bytes)) trial.skip(*reason);
  trial.note("array_bytes", fmt::format("{}", bytes));
  return bytes / sizeof(float);
}

void add_metric(Trial& trial, const std::string& name, const std::string& unit,
                const std::string& metric_class, const std::string& statistic, double value,
                const std::string& not_judged_because) {
  result::Metric metric;
  metric.name = name;
  metric.unit = unit;
  metric.better = unit == "second" ? result::Direction::lower : result::Direction::higher;
  metric.metric_class = metric_class;
  metric.statistic = statistic;
  metric.value = rounded(value);
  metric.judged = not_judged_because.empty();
  metric.note = not_judged_because;
  trial.metric(std::move(metric));
}

}  // namespace gpugauge::bench::memory
