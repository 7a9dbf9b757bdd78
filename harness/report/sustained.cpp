// The course of benchmarks under a long load.
#include "report/sustained.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "judge/load_seen.hpp"
#include "judge/statistics.hpp"
#include "report/format.hpp"
#include "result/facts.hpp"
#include "result/gpu_series.hpp"
#include "result/metric_of.hpp"
#include "result/number.hpp"

namespace gpugauge::report {
namespace {

/// The numbers of a note, between blanks; empty if anything else is in it.
std::vector<double> numbers_of(const result::BenchmarkResult& benchmark, const char* note) {
  const std::string text = result::fact(benchmark.notes, note);
  std::vector<double> out;
  for (std::string_view rest = text; !rest.empty();) {
    const auto number = result::take_number<double>(rest);
    if (!number || !(rest.empty() || rest.front() == ' ')) return {};
    out.push_back(*number);
    if (!rest.empty()) rest.remove_prefix(1);
  }
  return out;
}

/// What one operation does, in the unit of the rate; 0 if it is not known.
double work_of(const result::BenchmarkResult& benchmark, std::string_view unit) {
  if (unit == "flop/second") return benchmark.work.flops;
  if (unit == "byte/second") return benchmark.work.bytes;
  return unit == "operation/second" ? benchmark.work.items : 0;
}

/// Adds the slowest and the fastest batch of each point. A batch's place in time is its share of the GPU's
/// time: between batches there is next to nothing.
void add_span_of_batches(const result::BenchmarkResult& benchmark, const std::string& unit,
                         std::vector<SustainedPoint>& points) {
  const std::vector<double>& times = benchmark.batches.seconds_per_operation;
  const double work = work_of(benchmark, unit);
  double total = 0;
  for (const double time : times) total += time;
  if (!(work > 0) || !(total > 0)) return;
  double until = 0;
  for (const double time : times) {
    until += time;
    const double share = (until - time / 2) / total;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(points.size()));
    SustainedPoint& point = points[std::min(at, points.size() - 1)];
    const double rate = work / time;
    point.slowest_batch = std::min(point.slowest_batch.value_or(rate), rate);
    point.fastest_batch = std::max(point.fastest_batch.value_or(rate), rate);
  }
}

/// The mean of some neighbours that are known, above 0; nullopt if there are none.
std::optional<double> mean_of(const std::vector<double>& values, std::size_t from, std::size_t to) {
  std::vector<double> known;
  for (std::size_t i = from; i < std::min(to, values.size()); ++i)
    if (values[i] > 0) known.push_back(values[i]);
  return known.empty() ? std::nullopt : std::optional(judge::mean(known));
}

std::vector<SustainedPoint> points_of(const std::vector<double>& rates, const std::vector<double>& clocks,
                                      double seconds) {
  const std::size_t count = std::min(rates.size(), most_sustained_points);
  const double each = seconds / static_cast<double>(count);
  std::vector<SustainedPoint> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = i * rates.size() / count;
    const std::size_t to = (i + 1) * rates.size() / count;
    SustainedPoint point{(static_cast<double>(i) + .5) * each, mean_of(rates, from, to).value_or(0)};
    if (clocks.size() == rates.size()) point.sm_clock_hz = mean_of(clocks, from, to);
    out.push_back(point);
  }
  return out;
}

/// The values of a series of the round's GPU within the interval.
std::vector<double> values_within(const result::Run& run, const char* name, const FirstLast& interval) {
  std::vector<double> out;
  const result::Series* series = result::gpu_series(run, name);
  if (series == nullptr) return out;
  for (std::size_t i = 0; i < std::min(series->seconds.size(), series->values.size()); ++i)
    if (series->seconds[i] >= interval.first && series->seconds[i] <= interval.last)
      out.push_back(series->values[i]);
  return out;
}

void add_telemetry(const result::Run& run, const result::Process& process, std::size_t index,
                   Sustained& out) {
  out.power_limit_watt = judge::power_limit(run).watt;
  const auto interval = surely_within(process, index);
  if (!interval) return;
  const std::vector<double> heat = values_within(run, "temperature_celsius", *interval);
  if (!heat.empty()) out.temperature_celsius = FirstLast{heat.front(), heat.back()};
  const std::vector<double> power = values_within(run, "power_watts", *interval);
  if (!power.empty()) out.power_watt = judge::median(power);
}

/// nullopt for a benchmark that noted no rate by seconds.
std::optional<Sustained> course_of(const result::BenchmarkResult& benchmark) {
  const result::Metric* mean = result::metric_of(benchmark, "mean");
  const std::vector<double> rates = numbers_of(benchmark, "rate_per_second");
  const double seconds = benchmark.batches.window_seconds;
  const bool sane = std::all_of(rates.begin(), rates.end(), [](double rate) { return rate > 0; });
  if (benchmark.status != result::Status::ok || mean == nullptr || rates.empty() || !sane || !(seconds > 0))
    return std::nullopt;
  Sustained out;
  out.benchmark = benchmark.id;
  out.unit = mean->unit;
  out.seconds = seconds;
  // The judged ratio is of the very last second; the last whole one may have begun a little earlier.
  const result::Metric* ratio = result::metric_of(benchmark, "last_over_first");
  out.rate = {rates.front(), ratio != nullptr ? rates.front() * ratio->value : rates.back()};
  const result::Metric* first = result::metric_of(benchmark, "sm_clock_first_second");
  const result::Metric* last = result::metric_of(benchmark, "sm_clock_last_second");
  if (first != nullptr && last != nullptr) out.sm_clock_hz = FirstLast{first->value, last->value};
  if (result::fact(benchmark.notes, "modes") == "two") {
    const result::Metric* spread = result::metric_of(benchmark, "spread");
    out.modes = spread != nullptr && spread->note.starts_with("two modes") ? spread->note : "two modes";
  }
  std::vector<double> clocks = numbers_of(benchmark, "sm_clock_mhz_per_second");
  for (double& clock : clocks) clock *= 1e6;
  out.points = points_of(rates, clocks, seconds);
  add_span_of_batches(benchmark, out.unit, out.points);
  return out;
}

/// "1.41 to 1.29 GHz", "1.98 GHz": the unit once where both have the same.
std::string both(const FirstLast& values, std::string_view unit) {
  const std::string first = quantity(values.first, unit);
  std::string last = quantity(values.last, unit);
  if (first == last) return last;
  const std::size_t blank = first.find(' ');
  const bool same = blank != std::string::npos && last.ends_with(first.substr(blank));
  return fmt::format("{} to {}", same ? first.substr(0, blank) : first, last);
}

/// "first second 640 TFLOP/s, last 612 (-4.4%)".
std::string rates_text(const Sustained& course) {
  const std::string first = quantity(course.rate.first, course.unit);
  std::string last = quantity(course.rate.last, course.unit);
  const std::size_t blank = first.find(' ');
  if (blank != std::string::npos && last.ends_with(first.substr(blank))) last.resize(last.find(' '));
  const double change = course.rate.last / course.rate.first - 1;
  const bool same = std::fabs(change) < .0005;
  return fmt::format("first second {}, last {} ({})", first, last, same ? "same" : signed_percent(change));
}

double kept(const Sustained& course) {
  return course.rate.last / course.rate.first;
}

}  // namespace

std::optional<FirstLast> surely_within(const result::Process& process, std::size_t index) {
  if (!process.samples || index >= process.samples->benchmarks.size()) return std::nullopt;
  const result::BenchmarkResult& benchmark = process.samples->benchmarks[index];
  if (benchmark.timeline && benchmark.timeline->timed) {
    const double end = process.start_seconds + *benchmark.timeline->timed;
    return FirstLast{std::max(process.start_seconds, end - benchmark.batches.window_seconds), end};
  }
  double before = 0;
  double all = 0;
  for (std::size_t i = 0; i < process.samples->benchmarks.size(); ++i) {
    const double window = process.samples->benchmarks[i].batches.window_seconds;
    if (i < index) before += window;
    all += window;
  }
  const double earliest = process.start_seconds + before;
  const double unknown = process.wall_seconds - all;  // starting, warming up, verifying
  const double window = benchmark.batches.window_seconds;
  const FirstLast out{earliest + std::max(0.0, unknown),
                      std::min(earliest + window, process.start_seconds + process.wall_seconds)};
  return out.first < out.last ? std::optional(out) : std::nullopt;
}

std::vector<Sustained> sustained(std::span<const result::Run> rounds) {
  std::map<std::string, Sustained> found;
  for (const result::Run& run : rounds)
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      for (std::size_t i = 0; i < process.samples->benchmarks.size(); ++i) {
        std::optional<Sustained> course = course_of(process.samples->benchmarks[i]);
        if (!course) continue;
        add_telemetry(run, process, i, *course);
        const auto before = found.find(course->benchmark);
        if (before != found.end()) {
          course->of = ++before->second.of;
          if (kept(*course) >= kept(before->second)) continue;
        }
        found.insert_or_assign(course->benchmark, std::move(*course));
      }
    }
  std::vector<Sustained> out;
  out.reserve(found.size());
  for (auto& [id, course] : found) out.push_back(std::move(course));
  return out;
}

std::string course_text(const Sustained& course) {
  constexpr double in_minutes = 120;
  const std::string time =
      course.seconds < in_minutes ? fmt::format("{:.0f} s", course.seconds) : duration(course.seconds);
  std::string out = fmt::format("{}, {}", time, rates_text(course));
  if (!course.modes.empty()) out += "; " + course.modes;
  std::vector<std::string> gpu;
  if (course.sm_clock_hz) gpu.push_back("SM clock " + both(*course.sm_clock_hz, "hertz"));
  if (const auto& heat = course.temperature_celsius)
    gpu.push_back(std::lround(heat->first) == std::lround(heat->last)
                      ? fmt::format("{:.0f} C", heat->last)
                      : fmt::format("{:.0f} to {:.0f} C", heat->first, heat->last));
  if (course.power_watt)
    gpu.push_back(course.power_limit_watt > 0
                      ? fmt::format("power {:.0f} of {:.0f} W", *course.power_watt, course.power_limit_watt)
                      : fmt::format("power {:.0f} W", *course.power_watt));
  for (std::size_t i = 0; i < gpu.size(); ++i) out += (i == 0 ? "; " : ", ") + gpu[i];
  return out;
}

std::string sentence(const Sustained& course) {
  const std::string of = course.of > 1 ? fmt::format(", the worst of {}", course.of) : std::string();
  return course.benchmark + of + ": " + course_text(course);
}

}  // namespace gpugauge::report
