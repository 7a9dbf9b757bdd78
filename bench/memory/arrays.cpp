#include "memory/arrays.hpp"

#include <fmt/format.h>

#include "memory/scattered.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::memory {

std::size_t array_elements(Trial& trial, std::size_t arrays) {
  const std::size_t bytes = cuda::bus_array_bytes(cuda::device().l2_bytes);
  cuda::require_room(trial, arrays * bytes);
  trial.note("array_bytes", fmt::format("{}", bytes));
  return bytes / sizeof(float);
}

std::size_t scattered_elements(Trial& trial) {
  const std::size_t least = cuda::bus_array_bytes(cuda::device().l2_bytes);
  const std::size_t bytes = scattered_bytes(cuda::device().l2_bytes, least, cuda::card_has_room);
  cuda::require_room(trial, bytes);
  trial.note("array_bytes", fmt::format("{}", bytes));
  trial.note("l2_holds_at_most",
             fmt::format("{:.1f}% of the array",
                         100.0 * static_cast<double>(cuda::device().l2_bytes) / static_cast<double>(bytes)));
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
