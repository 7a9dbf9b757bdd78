// gpugauge baseline list, show: what there is, what it can see, and who decided what about it.
#include <filesystem>

#include <fmt/format.h>

#include "cli/baseline.hpp"
#include "cli/baseline_in_force.hpp"
#include "cli/named_files.hpp"
#include "report/console.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/counted.hpp"
#include "result/json_array.hpp"
#include "result/object_reader.hpp"
#include "result/time.hpp"

namespace gpugauge::cli {
namespace {

struct BaselineListingArguments {
  std::string name;
  std::string state_directory;
  bool json = false;
};

std::string state_word(const baseline::Listed& listed) {
  if (!listed.fault.empty()) return "unreadable";
  return listed.superseded ? "superseded" : std::string(to_string(listed.state));
}

int list(const BaselineListingArguments& arguments) {
  state_directory(arguments.state_directory);
  const std::vector<baseline::Listed> all = baseline::list(baseline::Verify::contents);
  if (arguments.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const baseline::Listed& listed : all) {
      nlohmann::ordered_json row{
          {"folder", listed.folder.string()}, {"place", listed.place}, {"state", state_word(listed)}};
      if (listed.manifest) {
        row["name"] = listed.manifest->name;
        row["device"] = listed.manifest->device;
        row["profile"] = listed.manifest->profile;
        row["rounds"] = listed.manifest->entries.size();
        row["created"] = listed.manifest->created;
        row["key"] = listed.manifest->key;
      }
      if (!listed.fault.empty()) row["fault"] = listed.fault;
      rows.push_back(std::move(row));
    }
    print(result::dump_json({{"schema", "gpugauge.baseline-list/1"}, {"baselines", std::move(rows)}}));
    return 0;
  }
  const report::Terminal terminal = report::terminal(1);
  report::Table table({{"baseline"},
                       {"place"},
                       {"device", false, true},
                       {"profile"},
                       {"rounds", true},
                       {"created"},
                       {"state"}});
  report::Table narrow({{"baseline"}, {"state"}, {"of", false, false, true}});
  std::string faults;
  for (const baseline::Listed& listed : all) {
    // The folder's name is what commands take first; two may have been made under one name. It is whole, so
    // that it can be given to them.
    const std::string name = report::plain(listed.folder.filename().string());
    const std::string made_as = listed.manifest && listed.manifest->name != listed.folder.filename()
                                    ? fmt::format(" ({})", report::plain(listed.manifest->name))
                                    : "";
    const std::string state = state_word(listed);
    const report::Tone tone = !listed.fault.empty() ? report::Tone::bad
                              : state == "active"   ? report::Tone::good
                                                    : report::Tone::faint;
    const report::Cell first{name + made_as, report::Tone::strong};
    if (!listed.manifest) {
      table.add({first, {listed.place}, {"-"}, {"-"}, {"-"}, {"-"}, {state, tone}});
      narrow.add({{name, report::Tone::strong}, {state, tone}, {listed.place}});
    } else {
      const baseline::Manifest& manifest = *listed.manifest;
      const std::string device = report::plain(manifest.device);
      const std::string profile = report::plain(manifest.profile);
      const std::string created = report::plain(result::day_of(manifest.created));
      table.add({first,
                 {listed.place},
                 {device},
                 {profile},
                 {std::to_string(manifest.entries.size())},
                 {created},
                 {state, tone}});
      narrow.add({{name, report::Tone::strong},
                  {state, tone},
                  {fmt::format("{}{}, {}, profile {}, {}, created {}", listed.place, made_as, device, profile,
                               result::counted(manifest.entries.size(), "round"), created)}});
    }
    if (!listed.fault.empty())
      faults += "  " + report::wrap(report::plain(listed.fault), terminal.width, 4) + "\n";
  }
  print(all.empty() ? fmt::format("There is no baseline yet: {}.\n", baseline::how_to_make_one)
                    : (table.fits(terminal) ? table : narrow).draw(terminal) + faults);
  return 0;
}

nlohmann::ordered_json json_of(const baseline::LogEntry& entry) {
  nlohmann::ordered_json out{{"time", entry.time}, {"who", entry.who}, {"reason", entry.reason}};
  if (entry.state) out["state"] = to_string(*entry.state);
  if (entry.accepted)
    out["accepted"] = {{"metric", entry.accepted->metric}, {"unit", entry.accepted->unit},
                       {"old", entry.accepted->old_value}, {"new", entry.accepted->new_value},
                       {"run_id", entry.accepted->run_id}, {"expires", entry.accepted->expires}};
  return out;
}

std::string line_of(const baseline::LogEntry& entry) {
  std::string text = fmt::format("{} {}: ", entry.time, entry.who);
  if (entry.state) text += fmt::format("{}: ", to_string(*entry.state));
  if (entry.accepted)
    text += fmt::format("accepted {} from {} to {}{}, run {}: ", entry.accepted->metric,
                        report::quantity(entry.accepted->old_value, entry.accepted->unit),
                        report::quantity(entry.accepted->new_value, entry.accepted->unit),
                        entry.accepted->expires.empty() ? "" : " until " + entry.accepted->expires,
                        entry.accepted->run_id);
  return text + entry.reason;
}

/// The state of a baseline as `list` says it.
std::string state_word(const baseline::Baseline& found) {
  for (const baseline::Listed& listed : baseline::list()) {
    std::error_code error;
    if (std::filesystem::equivalent(listed.folder, found.folder, error)) return state_word(listed);
  }
  return std::string(to_string(state_of(found.log)));
}

int show(const BaselineListingArguments& arguments) {
  state_directory(arguments.state_directory);
  baseline::Baseline found = baseline::load(baseline::find(arguments.name));
  // As on the machine that it is of; which one that is only the folder tells here.
  found.other_node = baseline::of_another_node(found, found.runs.front().fingerprint, found.manifest.device);
  const baseline::Manifest& manifest = found.manifest;
  const std::vector<judge::Sensitivity> rows = judge::sensitivity(found);
  if (arguments.json) {
    nlohmann::ordered_json metrics = nlohmann::ordered_json::array();
    for (const judge::Sensitivity& row : rows)
      metrics.push_back({{"metric", row.metric},
                         {"class", row.metric_class},
                         {"unit", row.unit},
                         {"centre", row.centre},
                         {"spread", row.spread},
                         {"tolerance", row.tolerance},
                         {"minimum_detectable_drop", row.minimum_detectable_drop},
                         {"advisory", row.advisory},
                         {"rounds", row.rounds}});
    nlohmann::ordered_json log = result::array_of(found.log, json_of);
    print(result::dump_json({{"schema", "gpugauge.baseline-show/1"},
                             {"name", manifest.name},
                             {"folder", found.folder.string()},
                             {"device", manifest.device},
                             {"profile", manifest.profile},
                             {"created", manifest.created},
                             {"key", manifest.key},
                             {"rounds", manifest.entries.size()},
                             {"provisional", found.provisional()},
                             {"state", state_word(found)},
                             {"metrics", std::move(metrics)},
                             {"log", std::move(log)}}));
    return 0;
  }
  const report::Terminal terminal = report::terminal(1);
  std::string text =
      fmt::format("Baseline {} of {}: {}, profile {}, created {}, {}{}\n", report::plain(manifest.name),
                  report::plain(manifest.device), result::counted(manifest.entries.size(), "round"),
                  report::plain(manifest.profile), report::plain(manifest.created), state_word(found),
                  found.provisional() ? ", provisional (fewer than 3 boots and 3 days)" : "");
  text += report::draw(rows, terminal);
  for (const baseline::LogEntry& entry : found.log)
    text += "  " + report::wrap(report::plain(line_of(entry)), terminal.width, 4) + "\n";
  if (state_word(found) == "superseded") text += in_force(found.folder);
  text += fmt::format("  kept in {}; every file has the content that was pinned\n",
                      report::plain(found.folder.string()));
  print(text);
  return 0;
}

}  // namespace

void add_baseline_listing(CLI::App& baseline, Action& action) {
  auto arguments = std::make_shared<BaselineListingArguments>();
  CLI::App* listing = baseline.add_subcommand(
      "list", "Every baseline of this node, of this site and of the package, where it has any");
  CLI::App* showing =
      baseline.add_subcommand("show", "What a baseline can see, and who decided what about it");
  reads(showing->add_option("baseline", arguments->name, "Name or folder of the baseline")->required(),
        "NAME|DIR", Reads::baseline);
  for (CLI::App* command : {listing, showing}) {
    command->add_flag("--json", arguments->json, "As JSON");
    command->add_option("--state-dir", arguments->state_directory, "Where baselines are kept")
        ->type_name("DIR");
  }
  listing->callback([arguments, &action] { action = [arguments] { return list(*arguments); }; });
  showing->callback([arguments, &action] { action = [arguments] { return show(*arguments); }; });
}

}  // namespace gpugauge::cli
