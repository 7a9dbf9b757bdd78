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
  if (std::isfinite(change.z)) out["z"] = change.z;
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
    if (trend.alarm) out["monitor"]["alarm"] = points[*trend.alarm].started;
  }
  ordered_json changes = ordered_json::array();
  for (const store::Change& change : trend.changes) {
    changes.push_back({{"started", points[change.at].started}, {"run", points[change.at].run_id}});
    changes.back().update(json_of(change));
  }
  out["changes"] = std::move(changes);
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

std::string to_json(const std::vector<store::Event>& events, std::size_t trends, std::size_t too_short) {
  ordered_json out = head();
  out["series"] = trends;
  out["too_short"] = too_short;
  out["events"] = ordered_json::array();
  for (const store::Event& event : events) {
    ordered_json metrics = ordered_json::array();
    for (const auto& [metric, change] : event.items) {
      metrics.push_back(json_of(metric));
      metrics.back().update(json_of(change));
    }
    out["events"].push_back({{"started", event.started},
                             {"run", event.run_id},
                             {"node", event.device.node},
                             {"device", event.device.identity},
                             {"profile", event.profile},
                             {"since", json_of(event.since)},
                             {"runs_off", event.runs_off},
                             {"metrics", std::move(metrics)}});
  }
  return result::dump_json(out);
}

}  // namespace gpugauge::report
