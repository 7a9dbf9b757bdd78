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

/// The point that each second of the course belongs to: neighbours share one, and no point has none.
std::vector<std::size_t> points_of_seconds(std::size_t seconds) {
  const std::size_t count = std::min(seconds, most_sustained_points);
  std::vector<std::size_t> out(seconds);
  for (std::size_t point = 0; point < count; ++point)
    for (std::size_t i = point * seconds / count; i < (point + 1) * seconds / count; ++i) out[i] = point;
  return out;
}

/// Adds the slowest and the fastest batch of each point. A batch's place in time is its share of the GPU's
/// time, over the seconds in which something ran: between batches there is next to nothing else.
void add_span_of_batches(const result::BenchmarkResult& benchmark, const std::string& unit,
                         const std::vector<double>& rates, std::vector<SustainedPoint>& points) {
  const std::vector<double>& times = benchmark.batches.seconds_per_operation;
  const double work = work_of(benchmark, unit);
  double total = 0;
  for (const double time : times) total += time;
  if (!(work > 0) || !(total > 0)) return;
  const std::vector<std::size_t> point_of = points_of_seconds(rates.size());
  std::vector<std::size_t> busy;
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (rates[i] > 0) busy.push_back(point_of[i]);
  double until = 0;
  for (const double time : times) {
    until += time;
    const double share = (until - time / 2) / total;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(busy.size()));
    SustainedPoint& point = points[busy[std::min(at, busy.size() - 1)]];
    const double rate = work / time;
    point.slowest_batch = std::min(point.slowest_batch.value_or(rate), rate);
    point.fastest_batch = std::max(point.fastest_batch.value_or(rate), rate);
  }
}

std::vector<SustainedPoint> points_of(const std::vector<double>& rates, const std::vector<double>& clocks,
                                      double seconds) {
  const std::vector<std::size_t> point_of = points_of_seconds(rates.size());
  const std::size_t count = point_of.back() + 1;
  std::vector<std::vector<double>> seen(count);
  std::vector<std::vector<double>> known_clocks(count);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    seen[point_of[i]].push_back(rates[i]);
    if (clocks.size() == rates.size() && clocks[i] > 0) known_clocks[point_of[i]].push_back(clocks[i]);
  }
  const double each = seconds / static_cast<double>(count);
  std::vector<SustainedPoint> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    SustainedPoint point{(static_cast<double>(i) + .5) * each, judge::mean(seen[i])};
    if (!known_clocks[i].empty()) point.sm_clock_hz = judge::mean(known_clocks[i]);
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
  const bool sane = std::all_of(rates.begin(), rates.end(), [](double rate) { return rate >= 0; });
  const auto ran = [](double rate) { return rate > 0; };
  const auto first_ran = std::find_if(rates.begin(), rates.end(), ran);
  if (benchmark.status != result::Status::ok || mean == nullptr || !sane || first_ran == rates.end() ||
      !(seconds > 0))
    return std::nullopt;
  Sustained out;
  out.benchmark = benchmark.id;
  out.unit = mean->unit;
  out.seconds = seconds;
  // The judged ratio is of the very last second; the last whole one may have begun a little earlier.
  const result::Metric* ratio = result::metric_of(benchmark, "last_over_first");
  out.rate = {*first_ran, ratio != nullptr ? *first_ran * ratio->value
                                           : *std::find_if(rates.rbegin(), rates.rend(), ran)};
  out.idle_seconds = static_cast<int>(std::count(rates.begin(), rates.end(), 0.0));
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
  add_span_of_batches(benchmark, out.unit, rates, out.points);
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
  if (course.idle_seconds > 0) out += fmt::format("; nothing ran for {} s", course.idle_seconds);
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
