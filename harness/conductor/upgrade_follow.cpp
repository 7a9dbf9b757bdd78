#include "conductor/upgrade_follow.hpp"

#include <fmt/format.h>

#include "result/shell_word.hpp"
#include "result/time.hpp"

namespace gpugauge::conductor {
namespace {

using judge::ExitCode;

/// The judged rounds by name: others of the same folder are partial, or of another state.
std::vector<stack::Advice> after_pass(const UpgradeEnd& end, const report::Report& report) {
  std::vector<stack::Advice> out = stack::advice_after_pass(end.before, end.now);
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
std::string not_as_before(const std::string& name, const judge::Outcome& outcome, bool went_away) {
  if (outcome.code != ExitCode::regressed)
    return fmt::format(
        "{} whether the machine is what it was when the upgrade began could not be told: {}; upgrade {} "
        "stays open, and `gpugauge upgrade end{}` measures again",
        went_away ? "The stack is the old one again, and" : "Nothing changed in the stack, and",
        outcome.sentence, name, went_away ? "" : " --anyway");
  return went_away ? "The stack is the old one again, and the machine is not what it was: the change of "
                     "versions is not, or not alone, the cause."
                   : "Nothing changed in the stack, and the machine is not what it was when the upgrade "
                     "began: no change of versions is the cause; find it before you make one.";
}

/// The causes that going back named, best first on each device.
std::vector<UpgradeFinding> told_by_going_back(const report::Report& report) {
  std::vector<UpgradeFinding> out;
  for (const report::DeviceReport& device : report.devices)
    if (device.going_back)
      for (const diagnose::Finding& finding : device.going_back->diagnosis.findings)
        out.push_back({device.selection, finding.cause, finding.score});
  return out;
}

Followed after_return(const UpgradeEnd& end, const report::Report& report) {
  const std::string& name = end.kept.record.name;
  const bool went_away = new_stack_measured(end.kept);
  Followed out;
  out.findings = told_by_going_back(report);
  if (report.outcome.code != ExitCode::pass) {
    out.causes = conclude(report.devices, end.change).causes;
    out.last = not_as_before(name, report.outcome, went_away);
  } else if (went_away) {
    out.state = UpgradeState::returned;
    out.last = fmt::format("upgrade {} is closed: the machine is as it was before it", name);
  } else {
    out.last = fmt::format(
        "upgrade {} stays open: nothing changed yet, and the old stack measured again agrees with itself; "
        "make the change",
        name);
  }
  return out;
}

Followed after_no_pass(const UpgradeEnd& end, const report::Report& report) {
  const UpgradeConclusion conclusion = conclude(report.devices, end.change);
  Followed out;
  out.causes = conclusion.causes;
  out.sentences = conclusion.sentences;
  if (conclusion.roll_back) out.way_back = way_back_of(end);
  if (conclusion.roll_back && out.way_back.empty())
    out.sentences.push_back(
        fmt::format("No package or version differs that these commands could bring back; {} lists what was "
                    "recorded.",
                    (end.kept.folder / "way-back.txt").string()));
  out.last =
      fmt::format("upgrade {} stays open: `gpugauge upgrade end` measures again", end.kept.record.name);
  return out;
}

std::vector<std::string> commands_of(const std::vector<stack::Advice>& advice) {
  std::vector<std::string> out;
  for (const stack::Advice& one : advice) out.insert(out.end(), one.commands.begin(), one.commands.end());
  return out;
}

}  // namespace

std::vector<stack::Advice> way_back_of(const UpgradeEnd& end) {
  return stack::way_back(end.before, end.now, end.request, end.kept.record.name);
}

Followed follow(const UpgradeEnd& end, const report::Report& report) {
  const std::string& name = end.kept.record.name;
  Followed out;
  if (!report.outcome.decided) {
    out.last = fmt::format(
        "upgrade {} stays open: nothing could be decided, so that nothing speaks for it either; "
        "`gpugauge upgrade end` adds rounds, `gpugauge upgrade close --reason ...` ends it",
        name);
    return out;
  }
  if (end.side == UpgradeSide::returned) return after_return(end, report);
  if (report.outcome.code != ExitCode::pass) return after_no_pass(end, report);
  if (!end.change.complete()) {
    out.last = fmt::format(
        "upgrade {} stays open: not all that was planned is there; `gpugauge upgrade end` again when "
        "it is, or `gpugauge upgrade close --reason ...`",
        name);
    return out;
  }
  out.state = UpgradeState::passed;
  out.to_keep_it = after_pass(end, report);
  out.last = fmt::format("upgrade {} is closed: passed", name);
  return out;
}

void record_end(UpgradeEnd& end, const judge::Outcome& outcome, const Followed& followed, bool finished) {
  UpgradeRecord& record = end.kept.record;
  UpgradeAttempt attempt{result::utc_now(),
                         end.attempt > 0 ? end.side : UpgradeSide::none,
                         static_cast<int>(outcome.code),
                         outcome.sentence,
                         stack::sentences(end.change),
                         commands_of(followed.way_back),
                         finished,
                         followed.causes,
                         followed.findings};
  if (end.attempt > 0)
    record.attempts[static_cast<std::size_t>(end.attempt) - 1] = std::move(attempt);
  else
    record.attempts.push_back(std::move(attempt));
  record.state = followed.state;
  record.closed = record.is_open() ? "" : result::utc_now();
  save(end.kept);
}

}  // namespace gpugauge::conductor
