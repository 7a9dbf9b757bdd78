#include "sustained/course.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/statistics.hpp"

namespace gpugauge::bench::sustained {

namespace {

/// Operations per second of GPU time over the points that end in [from, to); 0 if there are none.
double rate(const std::vector<Point>& points, double from, double to) {
  double seconds = 0;
  int count = 0;
  for (const Point& point : points) {
    if (point.end_seconds < from || point.end_seconds >= to) continue;
    seconds += point.seconds;
    ++count;
  }
  return count == 0 ? 0 : count / seconds;
}

double clock(const std::vector<Point>& points, double from, double to) {
  double sum = 0;
  int count = 0;
  for (const Point& point : points) {
    if (point.end_seconds < from || point.end_seconds >= to || point.sm_clock_hz <= 0) continue;
    sum += point.sm_clock_hz;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

/// The batch that is at work in [from, to), in which none ends; nullptr: nothing runs then.
const Point* at_work(const std::vector<Point>& points, double from, double to) {
  const auto next = std::find_if(points.begin(), points.end(),
                                 [&](const Point& point) { return point.end_seconds >= from; });
  const bool runs = next != points.end() && next->end_seconds - next->busy_seconds < to;
  return runs ? &*next : nullptr;
}

double longest_pause(const std::vector<Point>& points) {
  std::vector<double> pauses;
  pauses.reserve(points.size());
  double end = 0;
  for (const Point& point : points) {
    pauses.push_back(point.end_seconds - point.busy_seconds - end);
    end = point.end_seconds;
  }
  return *std::max_element(pauses.begin(), pauses.end()) - median(pauses);
}

}  // namespace

Modes modes_of(std::vector<double> values) {
  Modes modes;
  constexpr std::size_t fewest = 20;
  if (values.size() < fewest) return modes;
  std::sort(values.begin(), values.end());
  const double middle = values[values.size() / 2];
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  double variance = 0;
  for (const double value : values) variance += (value - sum / count) * (value - sum / count);
  if (!(variance > 0) || !(middle > 0)) return modes;
  double best = 0;
  double below = 0;
  for (std::size_t split = 1; split < values.size(); ++split) {
    below += values[split - 1];
    if (values[split] <= values[split - 1]) continue;  // equal values belong together
    const auto lower = static_cast<double>(split);
    const double distance = (sum - below) / (count - lower) - below / lower;
    const double between = lower * (count - lower) / count * distance * distance;
    if (between <= best) continue;
    best = between;
    modes.separation = distance / middle;
    modes.minor_share = std::min(lower, count - lower) / count;
  }
  constexpr double explained = 0.85;
  constexpr double apart = 0.01;
  constexpr double minor = 0.05;
  modes.two = best >= explained * variance && modes.separation >= apart && modes.minor_share >= minor;
  return modes;
}

Course course_of(const std::vector<Point>& points) {
  if (points.empty() || points.back().end_seconds < 2)
    throw std::invalid_argument("a course needs points over two seconds");
  Course course;
  const double end = points.back().end_seconds;
  course.first_second = rate(points, 0, 1);
  if (course.first_second <= 0) course.first_second = 1 / points.front().seconds;
  course.last_second = rate(points, end - 1, HUGE_VAL);
  std::vector<double> ended;
  for (double second = 0; second + 1 <= end + 1e-9; ++second) {
    double operations = rate(points, second, second + 1);
    double hertz = clock(points, second, second + 1);
    if (operations > 0) {
      ended.push_back(operations);
    } else if (const Point* const longer = at_work(points, second, second + 1)) {
      operations = 1 / longer->seconds;
      hertz = longer->sm_clock_hz;
    }
    course.per_second.push_back(operations);
    course.clock_per_second.push_back(hertz);
  }
  course.slowest_second = ended.empty() ? std::min(course.first_second, course.last_second)
                                        : *std::min_element(ended.begin(), ended.end());
  course.longest_pause = longest_pause(points);
  std::vector<double> seconds;
  seconds.reserve(points.size());
  for (const Point& point : points) seconds.push_back(point.seconds);
  course.modes = modes_of(seconds);
  course.spread = (nearest_rank(seconds, 0.95) - nearest_rank(seconds, 0.05)) / median(seconds);
  return course;
}

}  // namespace gpugauge::bench::sustained
