#include "sustained/endure.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/interrupt.hpp"
#include "support/measure.hpp"
#include "support/statistics.hpp"
#include "sustained/course.hpp"

namespace gpugauge::bench::sustained {

namespace {

constexpr double shortest_batch_seconds = 20e-3;
constexpr double most_batches = 30'000;
constexpr double shortest_seconds = 3;
constexpr std::size_t most_points = 40'000;

result::Metric metric(const char* name, const char* unit, const char* metric_class, const char* statistic,
                      double value) {
  result::Metric made;
  made.name = name;
  made.unit = unit;
  made.better = result::Direction::higher;
  made.metric_class = metric_class;
  made.statistic = statistic;
  made.value = rounded(value);
  return made;
}

void add_unjudged(Trial& trial, result::Metric made, result::Direction better, std::string note) {
  made.better = better;
  made.judged = false;
  made.note = std::move(note);
  trial.metric(std::move(made));
}

std::string series(const std::vector<double>& values, double scale) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.4g}", text.empty() ? "" : " ", value * scale);
  return text;
}

}  // namespace

void endure(Trial& trial, cuda::GpuTimer& timer, double work, const char* unit, const char* metric_class) {
  const double duration = std::max(shortest_seconds, trial.window().seconds);
  const double batch_seconds = std::max(shortest_batch_seconds, duration / most_batches);
  trial.note("duration_seconds", fmt::format("{:g}", duration));
  timer.warm_up();
  const double start = steady_seconds();
  const std::int64_t operations = calibrate(timer, batch_seconds, start + 1, steady_seconds);
  std::vector<Point> points;
  points.reserve(std::min(most_points, static_cast<std::size_t>(duration / batch_seconds) * 2));
  result::Batches batches;
  batches.operations_per_batch = operations;
  const double begin = steady_seconds();
  const double cpu_begin = process_cpu_seconds();
  bool clock_known = false;
  for (double now = begin; now - begin < duration && points.size() < most_points;) {
    if (interrupted()) throw Interrupted{};
    const BatchTime batch = timer.time_batch(operations);
    now = steady_seconds();
    if (!(batch.seconds > 0)) throw std::runtime_error("the events around a batch stand at one time");
    points.push_back(
        {now - begin, batch.seconds / static_cast<double>(operations), batch.sm_clock_hz, batch.seconds});
    batches.seconds_per_operation.push_back(rounded(points.back().seconds));
    batches.sm_clock_hz.push_back(rounded(batch.sm_clock_hz));
    clock_known = clock_known || batch.sm_clock_hz > 0;
  }
  batches.window_seconds = rounded(points.back().end_seconds);
  batches.cpu_seconds = rounded(process_cpu_seconds() - cpu_begin);
  if (!clock_known) batches.sm_clock_hz.clear();
  trial.record(std::move(batches), timer.name(), timer.resolution_seconds());

  const Course course = course_of(points);
  double total = 0;
  for (const Point& point : points) total += point.seconds;
  trial.metric(metric("mean", unit, metric_class, "mean", work * static_cast<double>(points.size()) / total));
  trial.metric(metric("slowest_second", unit, metric_class, "minimum", work * course.slowest_second));
  trial.metric(
      metric("last_over_first", "1", metric_class, "ratio", course.last_second / course.first_second));
  add_unjudged(trial, metric("spread", "1", metric_class, "ratio", course.spread), result::Direction::lower,
               course.modes.two
                   ? fmt::format("two modes, {:.1f}% apart, {:.0f}% of the batches in the smaller one",
                                 course.modes.separation * 100, course.modes.minor_share * 100)
                   : "(95th - 5th percentile) / median of the batches; one mode");
  // Named as the means of other families are, which are of the wall time, too.
  const char* const by_wall = std::string_view(unit) == "byte/second" ? "bandwidth_mean" : "throughput_mean";
  const double done = work * static_cast<double>(operations) * static_cast<double>(points.size());
  add_unjudged(trial, metric(by_wall, unit, metric_class, "mean", done / points.back().end_seconds),
               result::Direction::higher, "over the wall time, pauses between batches included");
  add_unjudged(trial, metric("longest_pause", "second", metric_class, "maximum", course.longest_pause),
               result::Direction::lower, "wall time between two batches, beyond the median of it");
  const std::vector<double>& clocks = course.clock_per_second;
  const auto known = [](double hertz) { return hertz > 0; };
  const auto first = std::find_if(clocks.begin(), clocks.end(), known);
  if (first != clocks.end()) {
    const char* const evidence = "evidence for what the throughput did";
    const auto last = std::find_if(clocks.rbegin(), clocks.rend(), known);
    add_unjudged(trial, metric("sm_clock_first_second", "hertz", metric_class, "mean", *first),
                 result::Direction::higher, evidence);
    add_unjudged(trial, metric("sm_clock_last_second", "hertz", metric_class, "mean", *last),
                 result::Direction::higher, evidence);
  }
  trial.note("modes", course.modes.two ? "two" : "one");
  trial.note("rate_per_second", series(course.per_second, work));
  trial.note("sm_clock_mhz_per_second", series(course.clock_per_second, 1e-6));
}

}  // namespace gpugauge::bench::sustained
