#include "support/cuda/per_clock.hpp"

#include <utility>
#include <vector>

#include "support/statistics.hpp"

namespace gpugauge::bench::cuda {

void add_per_clock(Trial& trial, double operations, int sm_count, bool whole_numbers) {
  const result::Batches& batches = trial.batches();
  std::vector<double> rates;
  for (std::size_t i = 0; i < batches.sm_clock_hz.size(); ++i)
    if (batches.sm_clock_hz[i] > 0)
      rates.push_back(operations / batches.seconds_per_operation[i] / batches.sm_clock_hz[i] / sm_count);
  if (rates.empty()) return;
  result::Metric metric;
  metric.name = whole_numbers ? "operation_per_clock_per_sm" : "flop_per_clock_per_sm";
  metric.unit = whole_numbers ? "1" : "flop/clock";
  metric.better = result::Direction::higher;
  metric.metric_class = trial.instance().definition->metric_class;
  metric.statistic = "median";
  metric.value = rounded(median(std::move(rates)));
  metric.judged = false;
  metric.note = "at the measured SM clock, which hides a clock that is too low: the raw rate is judged";
  trial.metric(std::move(metric));
}

}  // namespace gpugauge::bench::cuda
