// gpugauge upgrade status, close: what is open, and an end without a verdict.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/upgrade.hpp"
#include "conductor/upgrade.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "report/upgrade.hpp"
#include "result/error.hpp"
#include "result/time.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* upgrade_status_footer =
    "Examples:\n"
    "  gpugauge upgrade status                            what was recorded, and what has changed since\n"
    "\n"
    "Exit codes: 0 an upgrade is open; 2 usage or tool error; 3 none is.";

constexpr const char* upgrade_close_footer =
    "Examples:\n"
    "  gpugauge upgrade close --reason 'postponed'        end it without a verdict\n"
    "\n"
    "Exit codes: 0 closed; 2 usage or tool error, or no upgrade is open.";

struct UpgradeStatusArguments {
  std::string state_directory;
  StackSource source;
  std::string reason;
  bool json = false;
};

/// A step that the command will not refuse.
std::string next_of(const conductor::KeptUpgrade& kept, const stack::StackChange& change) {
  const conductor::UpgradeRecord& record = kept.record;
  if (!conductor::of_another_host(record, this_host()).empty())
    return fmt::format("next: go on at {}, where it was begun", record.host);
  if (record.state == conductor::UpgradeState::measuring) {
    if (change.changed())
      return fmt::format("next: the stack changed before the old one was measured: {}", old_stack_is_gone);
    for (const conductor::UpgradeDevice& device : record.devices)
      if (const std::string why = conductor::of_several_kinds(kept, device); !why.empty())
        return "next: " + why;
    return "next: `gpugauge upgrade begin --resume` measures what is missing of the old stack";
  }
  if (!change.changed())
    return conductor::new_stack_measured(kept)
               ? "next: `gpugauge upgrade end` measures the old stack once more and compares (A/B/A)"
               : "next: make the change, then `gpugauge upgrade end`";
  if (const std::vector<std::string> missing = conductor::layers_to_come(change); !missing.empty())
    return fmt::format(
        "next: make the planned change ({}), then `gpugauge upgrade end`; with --anyway it "
        "judges what else changed",
        fmt::join(missing, ", "));
  return "next: `gpugauge upgrade end` measures the stack as it is now";
}

std::string draw(const conductor::KeptUpgrade& kept, const StackSource& given,
                 const report::Terminal& terminal) {
  const conductor::UpgradeRecord& record = kept.record;
  std::string out = fmt::format("{}  {}; begun {} by {}\n", terminal.paint(record.name, report::Tone::strong),
                                to_string(record.state), record.created, report::plain(record.who));
  out += fmt::format("  plan: {}\n", record.target.empty() ? "none" : report::plain(record.target));
  for (const conductor::UpgradeDevice& device : record.devices) {
    const bool measured = conductor::is_old_measured(kept, device);
    out += fmt::format(
        "  {}: old stack {} of {} rounds, new stack {}, old stack again {}\n", report::plain(device.label),
        measured ? record.rounds : static_cast<int>(conductor::fit_rounds(kept, device).size()),
        record.rounds, conductor::kept_rounds(kept, conductor::UpgradeSide::new_stack, device).size(),
        conductor::kept_rounds(kept, conductor::UpgradeSide::returned, device).size());
  }
  for (const conductor::UpgradeAttempt& attempt : record.attempts) {
    out += report::wrap_behind(fmt::format("  {}  ", attempt.time), report::plain(attempt.sentence),
                               terminal.width, 4) +
           "\n";
    for (const conductor::UpgradeFinding& finding : attempt.findings)
      out += fmt::format("      going back told: {} ({:.2f}) on {}\n", report::plain(finding.cause),
                         finding.score, report::plain(finding.selection));
    for (const std::string& command : attempt.way_back)
      out += fmt::format("      {}\n", report::plain(command));
  }
  out += fmt::format("  kept in {}\n", kept.folder.string());
  if (!record.is_open())
    return out + fmt::format("  {} {}{}\n", to_string(record.state), record.closed,
                             record.reason.empty() ? "" : ": " + report::plain(record.reason));
  const stack::Inventory before = recorded_stack(kept);
  const stack::StackChange change =
      stack::stack_change(before, stack_now(kept, before, given), parse_target(record.target),
                          conductor::new_stack_measured(kept));
  out += "\n" + report::draw(change, terminal);
  return out + "\n" + next_of(kept, change) + "\n";
}

int status(const UpgradeStatusArguments& arguments) {
  const std::filesystem::path state = state_directory(arguments.state_directory);
  const auto all = conductor::list_upgrades(state);
  if (all.empty()) {
    const std::string none =
        fmt::format("no upgrade was begun in {}", conductor::upgrades_folder(state).string());
    if (arguments.json) warn(none);
    print(arguments.json ? "null\n" : none + "\n");
    return static_cast<int>(judge::ExitCode::cannot_judge);
  }
  const auto open = conductor::open_upgrade(state);
  const conductor::KeptUpgrade& shown = open ? *open : all.back();
  print(arguments.json ? conductor::to_json(shown.record)
                       : draw(shown, arguments.source, report::terminal(1)));
  return shown.record.is_open() ? 0 : static_cast<int>(judge::ExitCode::cannot_judge);
}

int close(const UpgradeStatusArguments& arguments) {
  if (arguments.reason.find_first_not_of(" \t") == std::string::npos)
    throw result::UsageError("--reason is empty: say why, for whoever reads this later");
  const std::filesystem::path state = state_directory(arguments.state_directory);
  const auto only_one = hold_upgrades(state, "gpugauge upgrade close");
  conductor::KeptUpgrade kept = require_open(state);
  kept.record.state = conductor::UpgradeState::closed;
  kept.record.closed = result::utc_now();
  kept.record.reason = arguments.reason;
  conductor::save(kept);
  print(fmt::format("upgrade {} is closed; what was measured stays in {}\n", kept.record.name,
                    kept.folder.string()));
  return 0;
}

void add_state_option(CLI::App& command, UpgradeStatusArguments& arguments) {
  command.add_option("--state-dir", arguments.state_directory, "Where upgrades are kept")->type_name("DIR");
}

}  // namespace

void add_upgrade_status(CLI::App& upgrade, Action& action) {
  auto arguments = std::make_shared<UpgradeStatusArguments>();
  CLI::App* status_command =
      upgrade.add_subcommand("status", "The open upgrade, or the last one, and what has changed since");
  status_command->footer(upgrade_status_footer);
  add_state_option(*status_command, *arguments);
  add_stack_options(*status_command, arguments->source);
  status_command->add_flag("--json", arguments->json,
                           "The record as JSON on standard output; null where no upgrade was begun");
  status_command->callback([arguments, &action] { action = [arguments] { return status(*arguments); }; });

  CLI::App* close_command = upgrade.add_subcommand("close", "End the open upgrade without a verdict");
  close_command->footer(upgrade_close_footer);
  add_state_option(*close_command, *arguments);
  close_command->add_option("--reason", arguments->reason, "Why")->required()->type_name("TEXT");
  close_command->callback([arguments, &action] { action = [arguments] { return close(*arguments); }; });
}

}  // namespace gpugauge::cli
