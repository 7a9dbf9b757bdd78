#include "cli/upgrade_follow.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conductor/upgrade.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "report/upgrade.hpp"
#include "result/shell_word.hpp"

namespace gpugauge::cli {
namespace {

using conductor::UpgradeState;
using judge::ExitCode;

/// The judged rounds by name: others of the same folder are partial, or of another state.
std::vector<stack::Advice> after_pass(const Upgrade& upgrade, const report::Report& report) {
  std::vector<stack::Advice> out = stack::advice_after_pass(upgrade.before, upgrade.now);
  stack::Advice pin{"Pin what was measured as the baseline of the new stack.",
                    "The nightly check compares with it from now on; rounds of other days make it see more.",
                    {}};
  for (const report::DeviceReport& device : report.devices) {
    std::string command = "gpugauge baseline create";
    for (const std::filesystem::path& file : device.files) command += " " + result::shell_word(file.string());
    pin.commands.push_back(std::move(command));
  }
  out.insert(out.begin(), std::move(pin));
  return out;
}

/// Of the old stack measured again: what it says, and of what.
std::string not_as_before(const Upgrade& upgrade, const judge::Outcome& outcome, bool went_away) {
  if (outcome.code != ExitCode::regressed)
    return fmt::format(
        "{} whether the machine is what it was when the upgrade began could not be told: {}; upgrade {} "
        "stays open, and `gpugauge upgrade end{}` measures again",
        went_away ? "The stack is the old one again, and" : "Nothing changed in the stack, and",
        outcome.sentence, upgrade.kept.record.name, went_away ? "" : " --anyway");
  return went_away ? "The stack is the old one again, and the machine is not what it was: the change of "
                     "versions is not, or not alone, the cause."
                   : "Nothing changed in the stack, and the machine is not what it was when the upgrade "
                     "began: no change of versions is the cause; find it before you make one.";
}

/// The causes that going back named, best first on each device.
std::vector<conductor::UpgradeFinding> told_by_going_back(const report::Report& report) {
  std::vector<conductor::UpgradeFinding> out;
  for (const report::DeviceReport& device : report.devices)
    if (device.going_back)
      for (const diagnose::Finding& finding : device.going_back->diagnosis.findings)
        out.push_back({device.selection, finding.cause, finding.score});
  return out;
}

}  // namespace

std::vector<stack::Advice> way_back_of(const Upgrade& upgrade) {
  return stack::way_back(upgrade.before, upgrade.now, upgrade.request, upgrade.kept.record.name);
}

Followed follow(const Upgrade& upgrade, const report::Report& report, const report::Terminal& terminal) {
  const std::string& name = upgrade.kept.record.name;
  Followed out;
  const auto line = [&](const std::string& sentence) {
    return report::wrap(report::plain(sentence), terminal.width) + "\n";
  };
  const bool passed = report.outcome.code == ExitCode::pass;
  const bool returned = upgrade.side == conductor::UpgradeSide::returned;
  if (!report.outcome.decided) {
    out.last = line(
        fmt::format("upgrade {} stays open: nothing could be decided, so that nothing speaks for it either; "
                    "`gpugauge upgrade end` adds rounds, `gpugauge upgrade close --reason ...` ends it",
                    name));
  } else if (returned) {
    const bool went_away = conductor::new_stack_measured(upgrade.kept);
    out.findings = told_by_going_back(report);
    if (!passed) {
      out.causes = conductor::conclude(report.devices, upgrade.change).causes;
      out.last = line(not_as_before(upgrade, report.outcome, went_away));
    } else if (went_away) {
      out.state = UpgradeState::returned;
      out.last = line(fmt::format("upgrade {} is closed: the machine is as it was before it", name));
    } else {
      out.last = line(fmt::format(
          "upgrade {} stays open: nothing changed yet, and the old stack measured again agrees with itself; "
          "make the change",
          name));
    }
  } else if (passed && upgrade.change.complete()) {
    out.state = UpgradeState::passed;
    out.text = report::draw(after_pass(upgrade, report), "Now", terminal) + "\n";
    out.last = line(fmt::format("upgrade {} is closed: passed", name));
  } else if (passed) {
    out.last = line(fmt::format(
        "upgrade {} stays open: not all that was planned is there; `gpugauge upgrade end` again when "
        "it is, or `gpugauge upgrade close --reason ...`",
        name));
  } else {
    const conductor::UpgradeConclusion conclusion = conductor::conclude(report.devices, upgrade.change);
    out.causes = conclusion.causes;
    if (conclusion.roll_back) out.way_back = way_back_of(upgrade);
    for (const std::string& sentence : conclusion.sentences) out.text += line(sentence);
    out.text += report::draw(out.way_back, "The way back", terminal);
    if (conclusion.roll_back && out.way_back.empty())
      out.text += line(
          fmt::format("No package or version differs that these commands could bring back; {} lists what was "
                      "recorded.",
                      (upgrade.kept.folder / "way-back.txt").string()));
    out.last = line(fmt::format("upgrade {} stays open: `gpugauge upgrade end` measures again", name));
  }
  return out;
}

}  // namespace gpugauge::cli
