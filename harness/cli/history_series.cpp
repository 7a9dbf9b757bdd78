// gpugauge history trend and changes.
#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "cli/history.hpp"
#include "report/history.hpp"
#include "result/error.hpp"
#include "store/trend.hpp"

namespace gpugauge::cli {
namespace {

constexpr std::size_t most_trends = 16;

struct Arguments {
  HistoryArguments history;
  PolicyArguments policy;
  bool json = false;
  bool every_metric = false;
};

store::Facts facts_of(store::Store& store) {
  return [&store](std::int64_t id) -> const result::Fingerprint& { return store.fingerprint(id); };
}

int trend(const Arguments& arguments) {
  const judge::Policy rules = policy(arguments.policy);
  const store::Span within = span(arguments.history);
  store::Store store = open_store(arguments.history, store::Access::reading);
  const auto devices = select_devices(store, arguments.history);
  const auto metrics = select_metrics(store, arguments.history.metric);
  if (devices.size() * metrics.size() > most_trends * most_trends)
    throw result::UsageError(
        fmt::format("{} metrics of {} devices are too many to draw: narrow them with --node or --device and "
                    "a full metric "
                    "name, or ask `gpugauge history changes` for what moved",
                    metrics.size(), devices.size()));
  const int watched = static_cast<int>(store.metrics().size());
  std::vector<store::Trend> trends;
  for (const store::Metric& metric : metrics)
    for (const store::Device& device : devices)
      for (store::Series& series : by_profile(device, metric, store.series(device, metric, within)))
        trends.push_back(analyse(std::move(series), watched, rules, facts_of(store)));
  if (trends.empty())
    throw result::UsageError("no run that was asked for has this metric: give another span, node or device");
  if (trends.size() > most_trends)
    throw result::UsageError(fmt::format(
        "{} series are too many to draw: narrow them with --node or --device and a full metric name",
        trends.size()));
  if (arguments.json) {
    print(report::to_json(trends));
    return 0;
  }
  std::string text;
  for (const store::Trend& one : trends)
    text += (text.empty() ? "" : "\n") + report::draw(one, report::terminal(1));
  print(text);
  return 0;
}

int changes(const Arguments& arguments) {
  const judge::Policy rules = policy(arguments.policy);
  const store::Span within = span(arguments.history);
  store::Store store = open_store(arguments.history, store::Access::reading);
  const auto devices = select_devices(store, arguments.history);
  std::map<std::int64_t, store::Metric> metrics;
  for (store::Metric& metric : select_metrics(store, arguments.history.metric))
    metrics.emplace(metric.id, std::move(metric));
  std::vector<store::Trend> moved;
  std::size_t series_count = 0, too_short = 0;
  for (const store::Device& device : devices) {
    auto all = store.all_series(device, within);
    const int watched = static_cast<int>(std::max<std::size_t>(1, all.size()));
    for (auto& [id, points] : all) {
      const auto metric = metrics.find(id);
      if (metric == metrics.end()) continue;
      for (store::Series& series : by_profile(device, metric->second, std::move(points))) {
        ++series_count;
        if (series.points.size() < store::least_runs) {
          ++too_short;
          continue;
        }
        store::Trend found = analyse(std::move(series), watched, rules, facts_of(store));
        if (!found.changes.empty()) moved.push_back(std::move(found));
      }
    }
  }
  const auto found = events(moved);
  print(arguments.json
            ? report::to_json(found, series_count, too_short)
            : report::draw(found, series_count, too_short, report::terminal(1), arguments.every_metric));
  return 0;
}

}  // namespace

void add_history_series(CLI::App& history, Action& action) {
  auto of_trend = std::make_shared<Arguments>();
  CLI::App* command = history.add_subcommand(
      "trend", "Draw a metric over time: its level, its changes and what changed there, a monitor");
  command->add_option("metric", of_trend->history.metric, "Name of the metric; * stands for anything")
      ->required()
      ->type_name("METRIC");
  add_selection_options(*command, of_trend->history);
  add_store_options(*command, of_trend->history);
  add_policy_options(*command, of_trend->policy);
  command->add_flag("--json", of_trend->json, "JSON on standard output instead of the plot");
  command->callback([of_trend, &action] { action = [of_trend] { return trend(*of_trend); }; });

  auto of_changes = std::make_shared<Arguments>();
  command = history.add_subcommand(
      "changes", "List every change of level with what changed there, most consequential first");
  command
      ->add_option("--metric", of_changes->history.metric, "Only metrics that match; * stands for anything")
      ->type_name("PATTERN");
  add_selection_options(*command, of_changes->history);
  add_store_options(*command, of_changes->history);
  add_policy_options(*command, of_changes->policy);
  command->add_flag("--every-metric", of_changes->every_metric,
                    "All metrics of a change, not the first five");
  command->add_flag("--json", of_changes->json, "JSON on standard output instead of the list");
  command->callback([of_changes, &action] { action = [of_changes] { return changes(*of_changes); }; });
}

}  // namespace gpugauge::cli
