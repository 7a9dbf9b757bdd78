// The history as an HTML page.
#include <fmt/format.h>

#include "report/format.hpp"
#include "report/history.hpp"
#include "report/page_data.hpp"
#include "result/counted.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t shown_causes = 3;

/// Differences between the stacks of a run and its predecessor; "" if there are none.
std::string versions_changed(const store::Trend& trend, std::size_t at, const store::Facts& facts) {
  const auto& points = trend.series.points;
  if (at == 0 || points[at].fingerprint == points[at - 1].fingerprint) return "";
  std::vector<baseline::Mismatch> different =
      baseline::mismatches(facts(points[at].fingerprint), facts(points[at - 1].fingerprint));
  std::erase_if(different,
                [](const baseline::Mismatch& field) { return !field.field.starts_with("stack."); });
  return cause_text(different, shown_causes);
}

const store::Change* change_at(const store::Trend& trend, std::size_t at) {
  for (const store::Change& change : trend.changes)
    if (change.at == at) return &change;
  return nullptr;
}

std::string level_text(const store::Change& step, const judge::PeerForm& form) {
  return fmt::format("{}: {} -> {}, {}", change(step.relative), quantity(step.before, form.unit),
                     quantity(step.after, form.unit), cause_of(step.since, step.runs_off, shown_causes));
}

ordered_json json_of(const store::Trend& trend, const store::Facts& facts) {
  const auto& points = trend.series.points;
  const judge::PeerForm& form = trend.series.metric.form;
  ordered_json runs = ordered_json::array();
  ordered_json versions = ordered_json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    runs.push_back({points[i].started, six_digits(points[i].median)});
    if (const std::string text = versions_changed(trend, i, facts); !text.empty())
      versions.push_back({{"at", i}, {"text", text}});
  }
  ordered_json levels = ordered_json::array();
  ordered_json changes = ordered_json::array();
  for (std::size_t i = 0; i < trend.changes.size(); ++i) {
    const store::Change& step = trend.changes[i];
    const std::size_t from = i == 0 ? 0 : trend.changes[i - 1].at;
    levels.push_back({{"from", from}, {"to", step.at - 1}, {"value", six_digits(step.before)}});
    if (i + 1 == trend.changes.size())
      levels.push_back({{"from", step.at}, {"to", points.size() - 1}, {"value", six_digits(step.after)}});
    changes.push_back({{"at", step.at}, {"worse", step.relative > 0}, {"text", level_text(step, form)}});
  }
  ordered_json out{{"metric", form.key},
                   {"class", form.metric_class},
                   {"unit", form.unit},
                   {"better", to_string(form.better)},
                   {"node", trend.series.device.node},
                   {"device", trend.series.device.identity},
                   {"profile", trend.series.profile},
                   {"centre", six_digits(trend.centre)},
                   {"tolerance", six_digits(trend.tolerance)},
                   {"runs", std::move(runs)},
                   {"levels", std::move(levels)},
                   {"changes", std::move(changes)},
                   {"versions", std::move(versions)},
                   {"monitor", monitor_text(trend)}};
  if (trend.last) out["last"] = last_text(trend);
  if (!trend.alarms.empty()) out["alarm"] = trend.alarms.back().at;  // the one that `monitor` describes
  return out;
}

}  // namespace

Trend chart_trend(const store::Trend& trend, const store::Facts& facts) {
  Trend out;
  out.metric = trend.series.metric.form.key;
  const auto& points = trend.series.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const store::Change* step = change_at(trend, i);
    out.points.push_back(
        {points[i].started, points[i].median,
         step != nullptr ? level_text(*step, trend.series.metric.form) : versions_changed(trend, i, facts)});
  }
  return out;
}

std::string html_text(const std::vector<store::Trend>& trends, const store::Facts& facts) {
  ordered_json series = ordered_json::array();
  std::size_t changes = 0;
  std::size_t alarms = 0;
  std::size_t off = 0;
  for (const store::Trend& trend : trends) {
    series.push_back(json_of(trend, facts));
    changes += trend.changes.size();
    alarms += trend.alarms.empty() ? 0 : 1;
    off += trend.last ? 1 : 0;
  }
  const std::string word = fmt::format("{} of level", result::counted(changes, "change"));
  const std::string sentence = fmt::format(
      "{} series; the monitor of {} has raised an alarm{}. Changes are hindsight and decide no verdict.",
      trends.size(), alarms,
      off == 0 ? "" : fmt::format(", and the last runs of {} are off and too few to make a level", off));
  return page_text({{"kind", "history"},
                    {"outcome", {{"code", 0}, {"word", word}, {"sentence", sentence}}},
                    {"series", std::move(series)}});
}

}  // namespace gpugauge::report
