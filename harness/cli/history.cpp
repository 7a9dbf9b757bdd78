// gpugauge history: the runs of many nights, what they show, and out again.
#include "cli/history.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/named_files.hpp"
#include "result/error.hpp"
#include "result/pattern.hpp"
#include "result/time.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* history_footer =
    "Examples:\n"
    "  gpugauge history ingest results/            keep these runs; what is stored already is passed over\n"
    "  gpugauge history changes                    what moved, when, and what was changed then\n"
    "  gpugauge history trend 'gemm/bf16/*' --node node7\n"
    "  gpugauge history export --format csv --output values.csv\n"
    "\n"
    "Exit codes: 0 done, whatever it shows; 2 usage or tool error, or a file that ingest refused.";

/// The first names of a list, for sentences.
template <typename List, typename Name>
std::string some(const List& list, const Name& name) {
  constexpr std::size_t most = 6;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, list.size()); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ", ", name(list[i]));
  return list.size() > most ? fmt::format("{} and {} more", out, list.size() - most) : out;
}

std::string time_of(const char* option, const std::string& text) {
  if (text.empty() || result::is_day(text)) return text;
  if (const auto time = result::utc_time(text)) return *time;
  throw result::UsageError(
      fmt::format("{} {}: write a day as 2026-01-31, or a time as 2026-01-31T04:00:00Z", option, text));
}

}  // namespace

void add_store_options(CLI::App& command, HistoryArguments& arguments) {
  reads(command.add_option("--store", arguments.store,
                           "The history: a file for SQLite, or postgresql://user@host/database (default: "
                           "$GPUGAUGE_STORE, then history.sqlite in the state directory)"),
        "FILE|URL");
  command
      .add_option(
          "--state-dir", arguments.state_directory,
          "Where runs and baselines are kept (default: $GPUGAUGE_STATE, then the XDG state directory)")
      ->type_name("DIR");
}

void add_selection_options(CLI::App& command, HistoryArguments& arguments) {
  command.add_option("--node", arguments.node, "Only nodes whose name matches; * stands for anything")
      ->type_name("PATTERN");
  command
      .add_option("--device", arguments.device,
                  "Only devices that match: a GPU's UUID, or host; * stands for anything")
      ->type_name("PATTERN");
  command.add_option("--since", arguments.since, "Only runs from this day (UTC) on")->type_name("DAY");
  command.add_option("--until", arguments.until, "Only runs before this day (UTC)")->type_name("DAY");
}

store::Store open_store(const HistoryArguments& arguments, store::Access access) {
  if (!arguments.state_directory.empty()) state_directory(arguments.state_directory);
  return store::Store::open(store::default_location(arguments.store), access);
}

store::Span span(const HistoryArguments& arguments) {
  store::Span span{time_of("--since", arguments.since), time_of("--until", arguments.until)};
  if (!arguments.since.empty() && !arguments.until.empty() && span.since >= span.until)
    throw result::UsageError(fmt::format(
        "--since {} --until {}: no run is from the one day on and before the other; --until takes a later day",
        arguments.since, arguments.until));
  return span;
}

std::vector<store::Device> select_devices(store::Store& store, const HistoryArguments& arguments) {
  const std::vector<store::Device> all = store.devices();
  if (all.empty()) throw result::UsageError(fmt::format("the store {} holds no run yet", store.name()));
  std::vector<store::Device> out;
  for (const store::Device& device : all)
    if ((arguments.node.empty() || result::matches(arguments.node, device.node)) &&
        (arguments.device.empty() || result::matches(arguments.device, device.identity)))
      out.push_back(device);
  if (out.empty())
    throw result::UsageError(fmt::format(
        "no device of the store {} matches; it has {}", store.name(), some(all, [](const auto& device) {
          return device.node.empty() ? device.identity : fmt::format("{} ({})", device.node, device.identity);
        })));
  return out;
}

std::vector<store::Metric> select_metrics(store::Store& store, const std::string& pattern) {
  std::vector<store::Metric> all = store.metrics();
  std::erase_if(all, [](const store::Metric& metric) { return !metric.form.judged; });
  std::vector<store::Metric> out;
  for (const store::Metric& metric : all)
    if (pattern.empty() || result::matches(pattern, metric.form.key)) out.push_back(metric);
  if (out.empty() && !all.empty())
    throw result::UsageError(fmt::format("no metric of the store {} matches '{}'; it has {}", store.name(),
                                         pattern,
                                         some(all, [](const auto& metric) { return metric.form.key; })));
  return out;
}

void add_history(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* history = app.add_subcommand(
      "history", "Keep the runs of many nights, and say what changed, when, and since what");
  history->footer(history_footer);
  history->require_subcommand(1);
  add_history_ingest(*history, action);
  add_history_series(*history, action);
  add_history_export(*history, action);
}

}  // namespace gpugauge::cli
