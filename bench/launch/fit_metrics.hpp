// Metrics of a linear fit: a fixed part and a part per unit.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/cuda/fit.hpp"
#include "support/measure.hpp"
#include "support/statistics.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::launch {

/// A time in seconds that a body formed itself; lower is better. A value that is not above 0 is recorded and
/// not judged.
inline result::Metric seconds_metric(std::string name, std::string metric_class, std::string statistic,
                                     double seconds) {
  result::Metric metric;
  metric.name = std::move(name);
  metric.unit = "second";
  metric.better = result::Direction::lower;
  metric.metric_class = std::move(metric_class);
  metric.statistic = std::move(statistic);
  metric.value = rounded(seconds);
  if (!(seconds > 0)) {
    metric.judged = false;
    metric.note = "no value above 0 was found";
  }
  return metric;
}

/// Measures `timer` once more for `window`, in batches of hardly more than one operation. Adds the p90 and
/// the p99 over the batches as `name`_p90 and `name`_p99, in seconds per operation. With too few batches they
/// are recorded and not judged. Throws like measure().
inline void add_tail(Trial& trial, Timer& timer, Window window, const std::string& name,
                     const std::string& metric_class) {
  window.batch_seconds = 1e-4;
  const result::Batches batches = measure(timer, window);
  const std::size_t count = batches.seconds_per_operation.size();
  for (const Statistic statistic : {Statistic::p90, Statistic::p99}) {
    const std::string word = to_string(statistic);
    result::Metric metric = seconds_metric(fmt::format("{}_{}", name, word), metric_class, word,
                                           seconds_per_operation(batches, statistic));
    if (metric.judged && count < fewest_for(statistic)) {
      metric.judged = false;
      metric.note = fmt::format("{} batches are fewer than the {} that a {} is judged from", count,
                                fewest_for(statistic), word);
    }
    trial.metric(std::move(metric));
  }
}

/// Largest relative residual of a judged fit. Graphs of 4 to 200 nodes were within 1.6% of it on H100s (five
/// processes) and within 2.8% on an H200 (eight). With a larger residual, the fixed part depends on which points
/// were taken.
inline constexpr double largest_residual_judged = 0.04;

/// Adds "fixed" and `per` (such as "per_node") of the line through (counts, seconds), and its largest
/// relative residual as a note. Above largest_residual_judged both are recorded and not judged.
inline void add_fit(Trial& trial, const std::string& metric_class, const std::string& per,
                    const std::vector<double>& counts, const std::vector<double>& seconds) {
  const cuda::Line line = cuda::fit_line(counts, seconds);
  for (const auto& [name, value] : {std::pair{std::string("fixed"), line.fixed}, {per, line.slope}}) {
    result::Metric metric = seconds_metric(name, metric_class, "fit", value);
    if (metric.judged && line.largest_residual > largest_residual_judged) {
      metric.judged = false;
      metric.note = fmt::format("a time is {:.1f}% off the line, and a fit is judged up to {:.1f}%",
                                100 * line.largest_residual, 100 * largest_residual_judged);
    }
    trial.metric(std::move(metric));
  }
  trial.note("largest_residual", std::to_string(line.largest_residual));
}

}  // namespace gpugauge::bench::launch
