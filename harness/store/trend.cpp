#include "store/trend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "baseline/fields.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::store {
namespace {

using baseline::Mismatch;
using baseline::Role;

constexpr std::size_t reference_most = 10;
constexpr std::size_t reference_least = 5;
/// A change point may be estimated a run or two off.
constexpr int window = 2;

/// What is most often the cause stands first.
int rank(const std::string& field) {
  constexpr std::array<std::string_view, 6> order{
      "stack.driver.version", "stack.driver", "stack.", "device.", "settings.", "topology."};
  for (std::size_t i = 0; i < order.size(); ++i)
    if (field.starts_with(order[i])) return static_cast<int>(i);
  return static_cast<int>(order.size());
}

/// What differs between two neighbouring runs. The sources of other families say nothing about this metric.
std::vector<Mismatch> differences(const Series& series, std::size_t at, const Facts& facts) {
  const std::int64_t now = series.points[at].fingerprint;
  const std::int64_t then = series.points[at - 1].fingerprint;
  if (now == then) return {};
  auto found = baseline::differences(facts(now), facts(then),
                                     {Role::must, Role::must_in_common, Role::identity, Role::noted});
  const std::string& benchmark = series.metric.form.benchmark;
  const std::string own = "suite.source_hash." + benchmark.substr(0, benchmark.find('/'));
  std::erase_if(found, [&](const Mismatch& difference) {
    return difference.field.starts_with("suite.source_hash.") && difference.field != own;
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const Mismatch& a, const Mismatch& b) { return rank(a.field) < rank(b.field); });
  return found;
}

void annotate(Change& change, const Series& series, const Facts& facts) {
  for (int distance = 0; distance <= window; ++distance)
    for (const int sign : {-1, 1}) {
      const int off = sign * distance;
      const auto at = static_cast<std::ptrdiff_t>(change.at) + off;
      if (at < 1 || at >= static_cast<std::ptrdiff_t>(series.points.size())) continue;
      change.since = differences(series, static_cast<std::size_t>(at), facts);
      change.runs_off = off;
      if (!change.since.empty()) return;
    }
  change.runs_off = 0;
}

void watch(Trend& trend, const std::vector<double>& scale, int metrics) {
  trend.reference = std::clamp(scale.size() / 2, reference_least, reference_most);
  const std::span<const double> reference(scale.data(), trend.reference);
  const double tolerance = judge::step_of(trend.tolerance, trend.series.metric.form.better);
  judge::Watched watched;
  watched.centre = judge::median(reference);
  watched.tolerance = tolerance;
  // A few runs may lie closer together than they will again. With this spread a run that is worse by the
  // tolerance reaches the monitor's cap, tau^2 / (2 s^2) = ln(1 / eps): a smaller one would find no more.
  const double least = tolerance / std::sqrt(2 * std::log(1 / watched.contamination));
  watched.spread = std::max(judge::qn(reference), least);
  const std::span<const double> later = std::span(scale).subspan(trend.reference);
  trend.centre = judge::from_scale(watched.centre, trend.series.metric.form.better);
  trend.spread = watched.spread;
  trend.limit = judge::alarm_limit(metrics);
  trend.sums = judge::cumulative_sums(later, watched);
  if (const auto night = judge::first_alarm(later, watched, metrics)) trend.alarm = trend.reference + *night;
}

}  // namespace

std::vector<Series> by_profile(const Device& device, const Metric& metric, std::vector<Point> points) {
  std::map<std::string, Series> out;
  for (Point& point : points) {
    Series& series = out[point.profile];
    series.device = device;
    series.metric = metric;
    series.profile = point.profile;
    series.points.push_back(std::move(point));
  }
  std::vector<Series> list;
  for (auto& [profile, series] : out) list.push_back(std::move(series));
  return list;
}

Trend analyse(Series series, int metrics, const judge::Policy& policy, const Facts& facts) {
  Trend trend;
  trend.series = std::move(series);
  const judge::PeerForm& form = trend.series.metric.form;
  trend.tolerance = judge::tolerance(policy, form.metric_class, form.key);
  std::vector<double> scale;
  scale.reserve(trend.series.points.size());
  for (const Point& point : trend.series.points) scale.push_back(judge::to_scale(point.median, form.better));
  trend.centre = judge::from_scale(judge::median(scale), form.better);
  if (scale.size() < least_runs) return trend;
  watch(trend, scale, metrics);
  // Below a third of the tolerance a change is called none, as the gate does.
  const double tolerance = judge::step_of(trend.tolerance, form.better);
  const auto points = judge::change_points(scale, tolerance * judge::null_share);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : points[i - 1].night;
    const std::size_t to = i + 1 == points.size() ? scale.size() : points[i + 1].night;
    const std::span<const double> all(scale);
    Change change;
    change.at = points[i].night;
    change.before = judge::from_scale(judge::median(all.subspan(from, change.at - from)), form.better);
    change.after = judge::from_scale(judge::median(all.subspan(change.at, to - change.at)), form.better);
    change.relative = judge::relative_of(points[i].step, form.better);
    change.z = points[i].z;
    change.weight = std::abs(points[i].step) / tolerance;
    annotate(change, trend.series, facts);
    trend.changes.push_back(std::move(change));
  }
  return trend;
}

std::vector<Event> events(const std::vector<Trend>& trends) {
  std::map<std::tuple<std::int64_t, std::string, std::string, std::string>, Event> gathered;
  for (const Trend& trend : trends)
    for (const Change& change : trend.changes) {
      const Point& point = trend.series.points[change.at];
      Event& event = gathered[{trend.series.device.id, trend.series.profile, point.started, point.run_id}];
      event.device = trend.series.device;
      event.profile = trend.series.profile;
      event.started = point.started;
      event.run_id = point.run_id;
      event.items.push_back({trend.series.metric, change});
    }
  std::vector<Event> out;
  for (auto& [key, event] : gathered) {
    std::stable_sort(event.items.begin(), event.items.end(),
                     [](const auto& a, const auto& b) { return a.change.weight > b.change.weight; });
    // What the weightiest change says of the cause; where it says nothing, the next one that does.
    for (const auto& item : event.items)
      if (event.since.empty()) {
        event.since = item.change.since;
        event.runs_off = item.change.runs_off;
      }
    out.push_back(std::move(event));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Event& a, const Event& b) { return a.weight() > b.weight(); });
  return out;
}

}  // namespace gpugauge::store
