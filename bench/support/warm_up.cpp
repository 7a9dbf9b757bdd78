#include "support/warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/interrupt.hpp"

namespace gpugauge::bench {

namespace {

constexpr std::ptrdiff_t compared = 3;
constexpr double clock_within = 1.005;
constexpr double throughput_within = 1.01;
constexpr double settled_within = 1.03;
constexpr std::int64_t most_operations = 1'000'000;

bool within(const std::vector<Reading>& readings, double Reading::*value, double share) {
  const auto [low, high] =
      std::minmax_element(readings.end() - compared, readings.end(),
                          [value](const Reading& a, const Reading& b) { return a.*value < b.*value; });
  return (*low).*value > 0 && (*high).*value <= (*low).*value * share;
}

bool is_steady(const std::vector<Reading>& readings, bool throughput) {
  if (static_cast<std::ptrdiff_t>(readings.size()) < compared) return false;
  if (!throughput) return within(readings, &Reading::sm_clock_hz, clock_within);
  const bool clock_known = std::any_of(readings.end() - compared, readings.end(),
                                       [](const Reading& reading) { return reading.sm_clock_hz > 0; });
  return within(readings, &Reading::operations_per_second, throughput_within) &&
         (!clock_known || within(readings, &Reading::sm_clock_hz, clock_within));
}

bool is_settled(const std::vector<Reading>& readings) {
  if (readings.size() < 2) return false;
  const double before = readings[readings.size() - 2].operations_per_second;
  const double last = readings.back().operations_per_second;
  return std::min(before, last) > 0 && std::max(before, last) <= std::min(before, last) * settled_within;
}

/// Operations for the next try, after `operations` took `seconds` and a reading should take `wanted`.
std::int64_t more(std::int64_t operations, double seconds, double wanted) {
  constexpr double margin = 1.1;
  constexpr double most_growth = 16;
  const double growth = seconds > 0 ? std::min(most_growth, margin * wanted / seconds) : most_growth;
  const auto grown = static_cast<std::int64_t>(std::ceil(static_cast<double>(operations) * growth));
  return std::clamp(grown, operations + 1, most_operations);
}

}  // namespace

bool is_bound_by_memory(const Instance& instance) {
  const std::vector<std::string>& classes = instance.metric_classes();
  if (instance.definition->is_memory_bound) return true;
  if (classes.empty()) return false;
  if (classes.front() == "primitive") return instance.definition->quantity_kind == Quantity::bandwidth;
  return classes.front() == "hbm" || classes.front() == "fft";
}

Warming warming(const WarmUp& how, double seconds, const std::vector<Reading>& readings) {
  const bool settled = how.longest_unsettled <= 0 || is_settled(readings);
  if (settled && seconds >= how.shortest && is_steady(readings, how.throughput)) return Warming::ends_steady;
  if (settled && seconds >= how.longest) return Warming::ends_unsteady;
  if (seconds >= std::max(how.longest, how.longest_unsettled)) return Warming::ends_unsettled;
  return Warming::goes_on;
}

Warmed warm_until_steady(const WarmUp& how, const std::function<BatchTime(std::int64_t)>& run,
                         const std::function<double()>& now) {
  // Share of the wanted time: a slightly shorter reading is still accepted.
  constexpr double long_enough = 0.8;
  const double start = now();
  std::int64_t operations = 1;
  std::vector<Reading> readings;
  Warmed warmed;
  while (!interrupted()) {
    const double before = now();
    const BatchTime batch = run(operations);
    const double end = now();
    warmed.seconds = end - start;
    const bool too_short = end - before < long_enough * how.reading_seconds && operations < most_operations;
    if (too_short) {
      readings.clear();
    } else {
      const double rate = batch.seconds > 0 ? static_cast<double>(operations) / batch.seconds : 0;
      readings.push_back({rate, batch.sm_clock_hz});
    }
    const Warming stands = warming(how, warmed.seconds, readings);
    warmed.steady = stands == Warming::ends_steady;
    warmed.settled = stands != Warming::ends_unsettled;
    if (stands != Warming::goes_on) break;
    if (too_short) operations = more(operations, end - before, how.reading_seconds);
  }
  return warmed;
}

}  // namespace gpugauge::bench
