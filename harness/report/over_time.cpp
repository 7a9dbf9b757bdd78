// The course of a device's rounds, from their telemetry.
#include "report/over_time.hpp"

#include <algorithm>
#include <array>

#include "judge/load_seen.hpp"
#include "judge/statistics.hpp"
#include "judge/throttled.hpp"
#include "result/gpu_series.hpp"
#include "result/throttle_reasons.hpp"

namespace gpugauge::report {
namespace {

struct DrawnSeries {
  const char* name;  ///< of the series
  const char* title;
};
constexpr std::array drawn_series{DrawnSeries{"sm_clock_hz", "SM clock"}, DrawnSeries{"power_watts", "Power"},
                                  DrawnSeries{"temperature_celsius", "Temperature"},
                                  DrawnSeries{"memory_temperature_celsius", "Temperature of the memory"},
                                  DrawnSeries{"utilization", "Utilization"}};

/// A round ends with what was last seen of it: the wall time of one that was killed may be missing.
double length_of(const result::Run& run) {
  double end = run.wall_seconds;
  for (const result::Process& process : run.processes)
    end = std::max(end, process.start_seconds + process.wall_seconds);
  for (const DrawnSeries& one : drawn_series)
    if (const result::Series* series = result::gpu_series(run, one.name))
      for (const double seconds : series->seconds) end = std::max(end, seconds);
  return end;
}

std::vector<Moment> moments_of(const result::Series& series, double offset) {
  std::vector<Moment> out;
  const std::size_t count = std::min(series.seconds.size(), series.values.size());
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) out.push_back({offset + series.seconds[i], series.values[i]});
  return out;
}

void add_families(const result::Run& run, double offset, std::vector<FamilySpans>& out) {
  for (const result::Process& process : run.processes) {
    auto found = std::find_if(out.begin(), out.end(),
                              [&](const FamilySpans& one) { return one.family == process.family; });
    if (found == out.end()) found = out.insert(out.end(), FamilySpans{process.family, {}, {}});
    const double from = offset + process.start_seconds;
    found->spans.push_back({from, from + process.wall_seconds});
    if (!process.samples) continue;
    for (const result::BenchmarkResult& one : process.samples->benchmarks)
      if (const auto& when = one.timeline)
        found->benchmarks[one.id].push_back(
            {from + when->warming.value_or(when->began), from + when->timed.value_or(when->ended)});
  }
}

/// The quantity over these rounds; without a sample it has no rounds.
Quantity quantity_of(const DrawnSeries& what, std::span<const result::Run> runs, const OverTime& time) {
  Quantity out;
  out.title = what.title;
  std::vector<double> values;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const result::Series* series = result::gpu_series(runs[i], what.name);
    if (series == nullptr || series->values.empty()) continue;
    out.unit = series->unit;
    values.insert(values.end(), series->values.begin(), series->values.end());
    out.rounds.push_back(thinned(moments_of(*series, time.rounds[i].span.from), most_moments / runs.size()));
  }
  if (values.empty()) return out;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  out.lowest = *low;
  out.highest = *high;
  out.median = judge::median(values);
  out.samples = values.size();
  return out;
}

/// Adds a span; joins it with the one before where at most `gap` lies between.
void add_span(Span span, double gap, std::vector<Span>& out) {
  if (!out.empty() && span.from - out.back().to <= gap)
    out.back().to = std::max(out.back().to, span.to);
  else
    out.push_back(span);
}

/// Adds to each reason what a round's masks say of it. Telemetry asks twice a second: what it did not see for
/// longer it does not know.
void add_reasons(const std::vector<Moment>& masks, const Span& round, double gap,
                 std::vector<ReasonSpans>& out) {
  constexpr double holds_seconds = 1;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const double next = i + 1 < masks.size() ? masks[i + 1].seconds : round.to;
    const double to = std::min(next, masks[i].seconds + holds_seconds);
    for (std::size_t bit = 0; bit < out.size(); ++bit) {
      ++out[bit].of;
      if (!result::has_throttle_reason(masks[i].value, bit)) continue;
      ++out[bit].samples;
      add_span({masks[i].seconds, std::max(to, masks[i].seconds)}, gap, out[bit].spans);
    }
  }
}

std::vector<ReasonSpans> reasons_of(std::span<const result::Run> runs, const OverTime& time) {
  constexpr double most_spans = 300;
  std::vector<ReasonSpans> out;
  out.reserve(result::throttle_reasons.size());
  for (const std::string_view word : result::throttle_reasons)
    out.push_back({word, judge::heat_or_hardware(word), 0, 0, {}});
  const double gap = time.rounds.back().span.to / most_spans;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (const result::Series* series = result::gpu_series(runs[i], "throttle_reasons")) {
      const Span& round = time.rounds[i].span;
      add_reasons(moments_of(*series, round.from), round, gap, out);
    }
  // A GPU at rest is not held back.
  std::erase_if(out, [](const ReasonSpans& one) { return one.samples == 0 || one.word == "idle"; });
  return out;
}

}  // namespace

std::vector<Moment> thinned(const std::vector<Moment>& moments, std::size_t most) {
  if (moments.size() <= most) return moments;
  const std::size_t groups = most / 2;
  std::vector<Moment> out;
  out.reserve(most);
  for (std::size_t group = 0; group < groups; ++group) {
    const auto begin = moments.begin();
    const auto at = [&](std::size_t index) {
      return begin + static_cast<std::ptrdiff_t>(index * moments.size() / groups);
    };
    auto [first, second] = std::minmax_element(
        at(group), at(group + 1), [](const Moment& a, const Moment& b) { return a.value < b.value; });
    // Of equal values the first is the lowest and the last the highest: a flat line keeps both ends.
    if (second < first) std::swap(first, second);
    out.push_back(*first);
    if (first != second) out.push_back(*second);
  }
  return out;
}

OverTime over_time(std::span<const result::Run> rounds) {
  OverTime out;
  const std::span runs = rounds.first(std::min(rounds.size(), most_rounds_over_time));
  if (runs.empty()) return out;
  out.left_out = rounds.size() - runs.size();
  double offset = 0;
  for (const result::Run& run : runs) {
    const Span span{offset, offset + length_of(run)};
    out.rounds.push_back({span, judge::power_limit(run).watt});
    add_families(run, offset, out.families);
    offset = span.to;
  }
  for (const DrawnSeries& what : drawn_series)
    if (Quantity one = quantity_of(what, runs, out); one.samples > 0)
      out.quantities.push_back(std::move(one));
  out.reasons = reasons_of(runs, out);
  return out;
}

}  // namespace gpugauge::report
