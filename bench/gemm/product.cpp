#include "gemm/product.hpp"

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "support/statistics.hpp"

namespace gpugauge::bench::gemm {

Shape parse_shape(const std::string& text) {
  std::array<int, 3> sizes{};
  const char* from = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto [next, fault] = std::from_chars(from, end, sizes[i]);
    const bool last = i + 1 == sizes.size();
    if (fault != std::errc{} || sizes[i] < 1 || (last ? next != end : next == end || *next != 'x'))
      throw std::logic_error(fmt::format("shape '{}' is not MxNxK", text));
    from = next + 1;
  }
  return Shape{sizes[0], sizes[1], sizes[2]};
}

void add_flop_per_clock(Trial& trial, double flops, int sm_count) {
  const result::Batches& batches = trial.batches();
  std::vector<double> rates;
  for (std::size_t i = 0; i < batches.sm_clock_hz.size(); ++i)
    if (batches.sm_clock_hz[i] > 0)
      rates.push_back(flops / batches.seconds_per_operation[i] / batches.sm_clock_hz[i] / sm_count);
  if (rates.empty()) return;
  result::Metric metric;
  metric.name = "flop_per_clock_per_sm";
  metric.unit = "flop/clock";
  metric.better = result::Direction::higher;
  metric.metric_class = trial.instance().definition->metric_class;
  metric.statistic = "median";
  metric.value = rounded(median(std::move(rates)));
  metric.judged = false;
  metric.note = "at the measured SM clock, which hides a clock that is too low: the raw throughput is judged";
  trial.metric(std::move(metric));
}

}  // namespace gpugauge::bench::gemm
