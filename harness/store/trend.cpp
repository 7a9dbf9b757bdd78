// Analyses a series: reference, monitor, change points, and events over several series.
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
#include "result/metric_key.hpp"

namespace gpugauge::store {
namespace {

using baseline::Mismatch;
using baseline::Role;

constexpr std::size_t reference_most = 10;
constexpr std::size_t reference_least = 5;
/// The estimate of a change point may be off by one or two runs.
constexpr int window = 2;

/// Ranks facts by how often they cause a change; the most frequent cause comes first.
int rank(const std::string& field) {
  constexpr std::array<std::string_view, 6> order{
      "stack.driver.version", "stack.driver", "stack.", "device.", "settings.", "topology."};
  for (std::size_t i = 0; i < order.size(); ++i)
    if (field.starts_with(order[i])) return static_cast<int>(i);
  return static_cast<int>(order.size());
}

/// Facts that differ between two neighbouring runs. Sources of other families do not affect this metric.
std::vector<Mismatch> differences(const Series& series, std::size_t at, const Facts& facts) {
  const std::int64_t now = series.points[at].fingerprint;
  const std::int64_t then = series.points[at - 1].fingerprint;
  if (now == then) return {};
  auto found = baseline::differences(
      facts(now), facts(then),
      {Role::must, Role::must_in_common, Role::identity, Role::host_identity, Role::noted});
  const std::string& benchmark = series.metric.form.benchmark;
  const std::string own = "suite.source_hash." + result::family_of(benchmark);
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
  watched.spread =
      std::max(judge::qn(reference), judge::least_watched_spread(tolerance, watched.contamination));
  const std::span<const double> later = std::span(scale).subspan(trend.reference);
  trend.centre = judge::from_scale(watched.centre, trend.series.metric.form.better);
  trend.spread = watched.spread;
  trend.limit = judge::alarm_limit(metrics);
  trend.sums = judge::cumulative_sums(later, watched);
}

/// A change from run `at` on; before and after are on the gate's scale.
Change change_of(const Trend& trend, std::size_t at, double before, double after, const Facts& facts) {
  const result::Direction better = trend.series.metric.form.better;
  Change change;
  change.at = at;
  change.before = judge::from_scale(before, better);
  change.after = judge::from_scale(after, better);
  change.relative = judge::relative_of(after - before, better);
  change.weight = std::abs(after - before) / judge::step_of(trend.tolerance, better);
  annotate(change, trend.series, facts);
  return change;
}

/// True if a level beside the alarm or within the window is at least as bad as the smallest change the gate
/// reports.
bool told_by_a_level(const Trend& trend, const Alarm& alarm) {
  const result::Direction better = trend.series.metric.form.better;
  const double centre = judge::to_scale(trend.centre, better);
  const double least = judge::step_of(trend.tolerance, better) * judge::null_share;
  for (std::size_t i = 0; i < trend.changes.size(); ++i) {
    const Change& change = trend.changes[i];
    const bool ended = i + 1 < trend.changes.size() && trend.changes[i + 1].at <= alarm.change.at;
    if (!ended && change.at <= alarm.at + window && judge::to_scale(change.after, better) - centre >= least)
      return true;
  }
  return false;
}

void add_alarms(Trend& trend, const std::vector<double>& scale, const Facts& facts) {
  const std::span<const double> all(scale);
  const double centre = judge::to_scale(trend.centre, trend.series.metric.form.better);
  for (const judge::Alarm& raised : judge::alarms(trend.sums, trend.limit)) {
    const std::size_t from = trend.reference + raised.from;
    Alarm alarm;
    alarm.at = trend.reference + raised.night;
    alarm.change =
        change_of(trend, from, centre, judge::median(all.subspan(from, alarm.at + 1 - from)), facts);
    alarm.told_by_a_level = told_by_a_level(trend, alarm);
    trend.alarms.push_back(std::move(alarm));
  }
}

Event::Item item_of(const Trend& trend, const Change& change) {
  const auto& points = trend.series.points;
  return {trend.series.metric, change, points[change.at].started, static_cast<int>(points.size() - change.at),
          trend.alarming()};
}

bool told_by_an_alarm(const Trend& trend, std::size_t run) {
  if (trend.alarms.empty() || !trend.alarming()) return false;
  const Alarm& latest = trend.alarms.back();
  return !latest.told_by_a_level && latest.change.at <= run;
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
  list.reserve(out.size());
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
  // Below a third of the tolerance the gate calls a change none; so do we.
  const double tolerance = judge::step_of(trend.tolerance, form.better);
  const auto points = judge::change_points(scale, tolerance * judge::null_share);
  const std::span<const double> all(scale);
  const auto level = [&](std::size_t from, std::size_t to) {
    return judge::median(all.subspan(from, to - from));
  };
  std::size_t from = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t at = points[i].night;
    const std::size_t to = i + 1 == points.size() ? scale.size() : points[i + 1].night;
    trend.changes.push_back(change_of(trend, at, level(from, at), level(at, to), facts));
    trend.changes.back().z = points[i].z;
    from = at;
  }
  add_alarms(trend, scale, facts);
  if (const auto last = judge::too_few_for_a_level(scale, from, tolerance)) {
    trend.last =
        change_of(trend, last->night, level(from, last->night), level(last->night, scale.size()), facts);
    trend.last->z = last->z;
  }
  return trend;
}

void Events::gather(ByRun& events, const Trend& trend, std::size_t run, const Change& change) {
  const Point& point = trend.series.points[run];
  Event& event = events[{trend.series.device.id, trend.series.profile, point.started, point.run_id}];
  event.device = trend.series.device;
  event.profile = trend.series.profile;
  event.started = point.started;
  event.run_id = point.run_id;
  event.items.push_back(item_of(trend, change));
}

/// The events, and the items of each, most important first.
std::vector<Event> Events::ordered(ByRun& events) {
  std::vector<Event> out;
  out.reserve(events.size());
  for (auto& [key, event] : events) {
    std::stable_sort(event.items.begin(), event.items.end(),
                     [](const auto& a, const auto& b) { return a.change.weight > b.change.weight; });
    // The cause named by the largest change; if it names none, by the next one that does.
    for (const auto& item : event.items)
      if (event.since.empty()) {
        event.since = item.change.since;
        event.runs_off = item.change.runs_off;
      }
    out.push_back(std::move(event));
  }
  events.clear();
  std::stable_sort(out.begin(), out.end(),
                   [](const Event& a, const Event& b) { return a.weight() > b.weight(); });
  return out;
}

void Events::add(const Trend& trend) {
  for (const Change& change : trend.changes) gather(levels_, trend, change.at, change);
  for (const Alarm& alarm : trend.alarms)
    if (!alarm.told_by_a_level) gather(alarms_, trend, alarm.at, alarm.change);
  if (trend.last && !told_by_an_alarm(trend, trend.last->at))
    gather(last_, trend, trend.last->at, *trend.last);
}

std::vector<Event> Events::take_levels() {
  return ordered(levels_);
}

std::vector<Event> Events::take_alarms() {
  return ordered(alarms_);
}

std::vector<Event> Events::take_last() {
  return ordered(last_);
}

}  // namespace gpugauge::store
