#include "support/per_clock.hpp"

#include <utility>
#include <vector>

#include "support/statistics.hpp"

namespace gpugauge::bench {

void add_per_clock(Trial& trial, const result::Work& work, int sm_count) {
  const result::Batches& batches = trial.batches();
  const bool whole_numbers = work.flops <= 0;
  const double operations = whole_numbers ? work.items : work.flops;
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
  const bool few = batches.seconds_per_operation.size() < fewest_for(Statistic::median);
  const bool waits_for_memory = work.bytes * compute_bound_operations_per_byte > operations;
  metric.judged = !few && !waits_for_memory;
  metric.note = few ? "from fewer batches than a median is judged from"
                : waits_for_memory
                    ? "recorded only: so few operations a byte wait for memory, too, whose clock "
                      "is another"
                    : "at the measured SM clock; the rate is judged beside it";
  trial.metric(std::move(metric));
}

}  // namespace gpugauge::bench
