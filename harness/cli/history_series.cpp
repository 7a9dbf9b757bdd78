// gpugauge history trend and changes.
#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "cli/history.hpp"
#include "cli/named_files.hpp"
#include "report/history.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "store/trend.hpp"

namespace gpugauge::cli {
namespace {

constexpr std::size_t most_trends = 16;
constexpr std::size_t most_on_a_page = 256;
constexpr std::size_t most_as_data = 4096;

struct HistorySeriesArguments {
  HistoryArguments history;
  PolicyArguments policy;
  std::vector<std::string> reports;  ///< "html=FILE"
  bool json = false;
  bool every_metric = false;
};

store::Facts facts_of(store::Store& store) {
  return [&store](std::int64_t id) -> const result::Fingerprint& { return store.fingerprint(id); };
}

/// How many series there may be, and for what.
struct Limit {
  std::size_t most = 0;
  const char* place = "";
};

Limit limit_of(const HistorySeriesArguments& arguments, const std::vector<ReportFile>& reports) {
  if (std::any_of(reports.begin(), reports.end(), [](const ReportFile& one) { return one.kind == "html"; }))
    return {most_on_a_page, "for a page"};
  if (arguments.json || !reports.empty()) return {most_as_data, "to write at once"};
  return {most_trends, "to draw"};
}

result::UsageError too_many(const std::string& what, const Limit& limit) {
  return result::UsageError(fmt::format(
      "{} are too many {}, the limit is {} series: narrow them with --node or --device and a full metric "
      "name{}, or ask `gpugauge history changes` for what moved",
      what, limit.place, limit.most,
      limit.most == most_trends
          ? fmt::format(", write up to {} with --report html=FILE or up to {} with --json", most_on_a_page,
                        most_as_data)
          : ""));
}

/// What the command prints beside the files of --report.
std::string drawn(const std::vector<store::Trend>& trends, const std::vector<ReportFile>& reports) {
  std::string text;
  if (trends.size() > most_trends)
    return fmt::format("{} series go to {}; here {} are drawn at most\n", trends.size(), reports.front().file,
                       most_trends);
  for (const store::Trend& one : trends)
    text += (text.empty() ? "" : "\n") + report::draw(one, report::terminal(1));
  return text;
}

int trend(const HistorySeriesArguments& arguments) {
  const judge::Policy rules = policy(arguments.policy);
  const store::Span within = span(arguments.history);
  const std::vector<ReportFile> reports = reports_of(arguments.reports, {"html", "json"});
  const Limit limit = limit_of(arguments, reports);
  store::Store store = open_store(arguments.history, store::Access::reading);
  const auto devices = select_devices(store, arguments.history);
  const auto metrics = select_metrics(store, arguments.history.metric);
  // Not every device has every metric: what there is to read is bounded here, what was found below.
  if (devices.size() * metrics.size() > limit.most * most_trends)
    throw too_many(fmt::format("{} metrics of {} devices", metrics.size(), devices.size()), limit);
  std::map<std::int64_t, int> watched;  // by device
  for (const store::Device& device : devices) watched.emplace(device.id, store.watched(device, within));
  std::vector<store::Trend> trends;
  for (const store::Metric& metric : metrics)
    for (const store::Device& device : devices)
      for (store::Series& series : by_profile(device, metric, store.series(device, metric, within)))
        trends.push_back(analyse(std::move(series), watched.at(device.id), rules, facts_of(store)));
  if (trends.empty())
    throw result::UsageError("no run that was asked for has this metric: give another span, node or device");
  if (trends.size() > limit.most) throw too_many(fmt::format("{} series", trends.size()), limit);
  Beside beside;
  beside.attempt("", [&] { print(arguments.json ? report::to_json(trends) : drawn(trends, reports)); });
  for (const ReportFile& one : reports)
    beside.attempt(one.label(), [&] {
      result::write_file(one.file, one.kind == "html" ? report::html_text(trends, facts_of(store))
                                                      : report::to_json(trends));
    });
  return beside.end(0);
}

int changes(const HistorySeriesArguments& arguments) {
  const judge::Policy rules = policy(arguments.policy);
  const store::Span within = span(arguments.history);
  store::Store store = open_store(arguments.history, store::Access::reading);
  const auto devices = select_devices(store, arguments.history);
  std::map<std::int64_t, store::Metric> metrics;
  for (store::Metric& metric : select_metrics(store, arguments.history.metric))
    metrics.emplace(metric.id, std::move(metric));
  store::Events told;
  report::ChangeList list;
  for (const store::Device& device : devices) {
    auto all = store.all_series(device, within);
    const int watched = store.watched(device, within);
    for (auto& [id, points] : all) {
      const auto metric = metrics.find(id);
      if (metric == metrics.end()) continue;
      for (store::Series& series : by_profile(device, metric->second, std::move(points))) {
        ++list.series;
        if (series.points.size() < store::least_runs) {
          ++list.too_short;
          continue;
        }
        told.add(analyse(std::move(series), watched, rules, facts_of(store)));
      }
    }
    store.forget_fingerprints();
    // A pattern for metrics asks for no more than these.
    if (arguments.history.metric.empty())
      store::add_health_findings(list.health, device, store.health(device, within));
  }
  store::put_gravest_first(list.health);
  list.levels = told.take_levels();
  list.alarms = told.take_alarms();
  list.last = told.take_last();
  print(arguments.json ? report::to_json(list)
                       : report::draw(list, report::terminal(1), arguments.every_metric));
  return 0;
}

}  // namespace

void add_history_series(CLI::App& history, Action& action) {
  auto of_trend = std::make_shared<HistorySeriesArguments>();
  CLI::App* command = history.add_subcommand(
      "trend", "Draw a metric over time: its level, its changes and what changed there, a monitor");
  command->add_option("metric", of_trend->history.metric, "Name of the metric; * stands for anything")
      ->required()
      ->type_name("METRIC");
  add_selection_options(*command, of_trend->history);
  add_store_options(*command, of_trend->history);
  add_policy_file_option(*command, of_trend->policy);
  writes(command->add_option(
             "--report", of_trend->reports,
             "Also write a page for a browser (html=FILE) or the data (json=FILE); may be repeated"),
         "KIND=FILE");
  command->add_flag("--json", of_trend->json, "JSON on standard output instead of the plot");
  command->callback([of_trend, &action] { action = [of_trend] { return trend(*of_trend); }; });

  auto of_changes = std::make_shared<HistorySeriesArguments>();
  command = history.add_subcommand(
      "changes",
      "List what runs found on the health of GPUs, then every change of level with what changed there, most "
      "consequential first, then what is none yet: alarms and last runs");
  command
      ->add_option("--metric", of_changes->history.metric,
                   "Only metrics that match, and no health; * stands for anything")
      ->type_name("PATTERN");
  add_selection_options(*command, of_changes->history);
  add_store_options(*command, of_changes->history);
  add_policy_file_option(*command, of_changes->policy);
  command->add_flag("--every-metric", of_changes->every_metric,
                    "All metrics of a change, and all lines of a list, not the first five");
  command->add_flag("--json", of_changes->json, "JSON on standard output instead of the list");
  command->callback([of_changes, &action] { action = [of_changes] { return changes(*of_changes); }; });
}

}  // namespace gpugauge::cli
