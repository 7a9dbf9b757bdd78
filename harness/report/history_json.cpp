// The history as JSON, schema "gpugauge.history/1".
#include <cmath>

#include "report/history.hpp"
#include "result/build.hpp"
#include "result/json_array.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const std::vector<baseline::Mismatch>& since) {
  ordered_json out = ordered_json::array();
  for (const baseline::Mismatch& field : since)
    out.push_back({{"field", field.field}, {"then", field.then}, {"now", field.now}});
  return out;
}

ordered_json json_of(const store::Metric& metric) {
  return {{"metric", metric.form.key},
          {"class", metric.form.metric_class},
          {"unit", metric.form.unit},
          {"better", to_string(metric.form.better)}};
}

ordered_json json_of(const store::Change& change) {
  ordered_json out{{"before", change.before},        {"after", change.after},
                   {"change", change.relative},      {"weight", change.weight},
                   {"since", json_of(change.since)}, {"runs_off", change.runs_off}};
  if (std::isfinite(change.z) && change.z != 0) out["z"] = change.z;
  return out;
}

ordered_json json_of(const store::Alarm& alarm, const std::vector<store::Point>& points) {
  ordered_json out{{"started", points[alarm.at].started},
                   {"run", points[alarm.at].run_id},
                   {"from", points[alarm.change.at].started}};
  out.update(json_of(alarm.change));
  out["told_by_a_level"] = alarm.told_by_a_level;
  return out;
}

ordered_json json_of(const store::Trend& trend) {
  const auto& points = trend.series.points;
  ordered_json out = json_of(trend.series.metric);
  out["node"] = trend.series.device.node;
  out["device"] = trend.series.device.identity;
  out["profile"] = trend.series.profile;
  out["centre"] = trend.centre;
  out["tolerance"] = trend.tolerance;
  out["reference_runs"] = trend.reference;
  ordered_json runs = ordered_json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    runs.push_back({{"started", points[i].started}, {"run", points[i].run_id}, {"value", points[i].median}});
    if (trend.reference > 0 && i >= trend.reference) runs.back()["sum"] = trend.sums[i - trend.reference];
  }
  out["runs"] = std::move(runs);
  if (trend.reference > 0) {
    out["monitor"] = {{"spread", trend.spread}, {"limit", trend.limit}};
    if (!trend.alarms.empty()) {
      out["monitor"]["alarm"] = points[trend.alarms.front().at].started;
      out["monitor"]["above"] = trend.alarming();
      for (const store::Alarm& alarm : trend.alarms)
        out["monitor"]["alarms"].push_back(json_of(alarm, points));
    }
  }
  ordered_json changes = ordered_json::array();
  for (const store::Change& change : trend.changes) {
    changes.push_back({{"started", points[change.at].started}, {"run", points[change.at].run_id}});
    changes.back().update(json_of(change));
  }
  out["changes"] = std::move(changes);
  if (trend.last) {
    out["last"] = {{"from", points[trend.last->at].started}, {"runs", points.size() - trend.last->at}};
    out["last"].update(json_of(*trend.last));
  }
  return out;
}

enum class Of { levels, alarms, last };

ordered_json json_of(const std::vector<store::Event>& events, Of of) {
  ordered_json out = ordered_json::array();
  for (const store::Event& event : events) {
    ordered_json metrics = ordered_json::array();
    for (const store::Event::Item& item : event.items) {
      ordered_json one = json_of(item.metric);
      one.update(json_of(item.change));
      if (of != Of::levels) one["from"] = item.from;
      if (of == Of::alarms) one["above"] = item.still;
      if (of == Of::last) one["runs"] = item.runs;
      metrics.push_back(std::move(one));
    }
    out.push_back({{"started", event.started},
                   {"run", event.run_id},
                   {"node", event.device.node},
                   {"device", event.device.identity},
                   {"profile", event.profile},
                   {"since", json_of(event.since)},
                   {"runs_off", event.runs_off},
                   {"metrics", std::move(metrics)}});
  }
  return out;
}

ordered_json health_json(const store::HealthFinding& finding) {
  ordered_json out{
      {"started", finding.started},        {"run", finding.run_id},      {"node", finding.device.node},
      {"device", finding.device.identity}, {"subject", finding.subject}, {"verdict", to_string(finding.kind)},
      {"reason", finding.reason},          {"runs", finding.runs},       {"latest", finding.latest}};
  if (!finding.well.empty()) out["well"] = finding.well;
  return out;
}

ordered_json head() {
  return {
      {"schema", history_schema}, {"gpugauge", result::build().version}, {"commit", result::build().commit}};
}

}  // namespace

std::string to_json(const std::vector<store::Trend>& trends) {
  ordered_json out = head();
  out["trends"] = result::array_of(trends, json_of);
  return result::dump_json(out);
}

std::string to_json(const ChangeList& list) {
  ordered_json out = head();
  out["series"] = list.series;
  out["too_short"] = list.too_short;
  out["health"] = result::array_of(list.health, health_json);
  out["events"] = json_of(list.levels, Of::levels);
  out["alarms"] = json_of(list.alarms, Of::alarms);
  out["last"] = json_of(list.last, Of::last);
  return result::dump_json(out);
}

}  // namespace gpugauge::report
