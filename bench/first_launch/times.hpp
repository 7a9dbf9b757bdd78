// What the times of several fresh processes become. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "result/samples.hpp"
#include "support/measure.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::first_launch {

/// Whether no further process is to run after `count`, 0 or more, in `seconds` of the `planned`. With all that are
/// planned the window is the end. So it is where those that ran were so slow that the planned ones do not fit into
/// the budget, and there are enough for the p90: a p99 would not come of the rest of the budget either.
inline bool is_last_process(std::size_t count, std::size_t planned, double seconds, const Window& window) {
  if (count == 0) return false;
  if (seconds >= window.budget_seconds) return true;
  if (seconds < window.seconds) return false;
  const double all = seconds / static_cast<double>(count) * static_cast<double>(planned);
  return count >= planned || (count >= fewest_for_p90 && all > window.budget_seconds);
}

/// The metrics of the times of processes, `values` in seconds, at least one. Always `name`, the median. Beside
/// it the slow end that `planned` processes support, so that a benchmark always has the same metrics: `name`_p90
/// from 10 on, and `name`_p99 from 100 on; `name`_maximum, which is recorded and never judged, where that is
/// not even a p90. A percentile of fewer processes than it needs, because the budget ended first, is recorded and
/// not judged. `resolution`: of the clock, in seconds.
inline std::vector<result::Metric> times_of(const std::vector<double>& values, std::size_t planned,
                                            const std::string& name, const std::string& metric_class,
                                            double resolution) {
  result::Metric metric;
  metric.name = name;
  metric.unit = "second";
  metric.better = result::Direction::lower;
  metric.metric_class = metric_class;
  metric.statistic = "median";
  metric.value = rounded(median(values));
  metric.resolution = rounded(resolution);
  if (!(metric.value > 0)) {
    metric.judged = false;
    metric.note = "too short for the clock";
  }
  std::vector<result::Metric> all{metric};
  const auto add = [&](const std::string& statistic, double value) -> result::Metric& {
    result::Metric slow = metric;
    slow.statistic = statistic;
    slow.name = fmt::format("{}_{}", name, statistic);
    slow.value = rounded(value);
    return all.emplace_back(std::move(slow));
  };
  if (planned < fewest_for_p90) {
    result::Metric& slowest = add("maximum", *std::max_element(values.begin(), values.end()));
    slowest.judged = false;
    slowest.note = fmt::format("the slowest of {} processes: one disturbance makes it", values.size());
  }
  for (const auto& [statistic, quantile] :
       {std::pair{Statistic::p90, 0.90}, std::pair{Statistic::p99, 0.99}}) {
    if (planned < fewest_for(statistic)) continue;
    result::Metric& slow = add(to_string(statistic), nearest_rank(values, quantile));
    if (!slow.judged || values.size() >= fewest_for(statistic)) continue;
    slow.judged = false;
    slow.note = fmt::format("{} processes are fewer than the {} that a {} is judged from", values.size(),
                            fewest_for(statistic), slow.statistic);
  }
  return all;
}

}  // namespace gpugauge::bench::first_launch
