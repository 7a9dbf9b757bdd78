// gpugauge upgrade end: the new stack measured like the old one, compared, and what to do about it.
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/kept_file.hpp"
#include "cli/doctor.hpp"
#include "cli/upgrade.hpp"
#include "cli/upgrade_follow.hpp"
#include "conductor/going_back.hpp"
#include "conductor/host_identity.hpp"
#include "conductor/node_fingerprint.hpp"
#include "conductor/outcome.hpp"
#include "conductor/upgrade.hpp"
#include "report/console.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "report/upgrade.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/time.hpp"
#include "run/identity.hpp"
#include "stack/inventory/node.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* upgrade_end_footer =
    "Examples:\n"
    "  gpugauge upgrade end                               measure the new stack and compare\n"
    "  gpugauge upgrade end --anyway                      also where nothing, or something else, changed\n"
    "\n"
    "Exit codes: 0 pass; 1 regressed or failed; 2 usage or tool error; 3 cannot judge, also where nothing "
    "changed or the planned change did not take place; 4 inconclusive (with --strict).";

using conductor::KeptUpgrade;
using conductor::UpgradeDevice;
using conductor::UpgradeSide;
using judge::ExitCode;

struct UpgradeEndArguments {
  ReportArguments report;
  PolicyArguments policy;
  StackSource source;
  std::string state_directory;
  std::uint64_t seed = 0;
  bool seed_given = false;
  double process_limit = 0;
  bool anyway = false;
  bool strict = false;
  bool quiet = false;
};

std::vector<std::string> commands_of(const std::vector<stack::Advice>& advice) {
  std::vector<std::string> out;
  for (const stack::Advice& one : advice) out.insert(out.end(), one.commands.begin(), one.commands.end());
  return out;
}

/// Notes how it ended, at the attempt that was begun where there is one, and saves the record.
void record(Upgrade& upgrade, const judge::Outcome& outcome, const Followed& followed, bool finished) {
  conductor::UpgradeRecord& kept = upgrade.kept.record;
  conductor::UpgradeAttempt attempt{result::utc_now(),
                                    upgrade.attempt > 0 ? upgrade.side : UpgradeSide::none,
                                    static_cast<int>(outcome.code),
                                    outcome.sentence,
                                    report::sentences(upgrade.change),
                                    commands_of(followed.way_back),
                                    finished,
                                    followed.causes,
                                    followed.findings};
  if (upgrade.attempt > 0)
    kept.attempts[static_cast<std::size_t>(upgrade.attempt) - 1] = std::move(attempt);
  else
    kept.attempts.push_back(std::move(attempt));
  kept.state = followed.state;
  kept.closed = kept.is_open() ? "" : result::utc_now();
  conductor::save(upgrade.kept);
}

/// The reports of an upgrade of which no device was judged.
int report_without_verdict(const judge::Outcome& outcome, const ReportArguments& reports,
                           const std::string& table) {
  report::Report report{"upgrade", {}, "", {}, {}, outcome};
  report.host = conductor::node_name(stack::Tree("/"));
  return write_reports(&report, reports, table, static_cast<int>(outcome.code));
}

int without_verdict(Upgrade& upgrade, const std::string& why, const ReportArguments& reports,
                    const report::Terminal& terminal) {
  const judge::Outcome outcome{ExitCode::cannot_judge, "cannot judge: " + why};
  record(upgrade, outcome, {}, false);
  return report_without_verdict(
      outcome, reports,
      report::draw(upgrade.change, terminal) + "\n" +
          terminal.paint(report::wrap(outcome.sentence, terminal.width), report::Tone::doubt) + "\n");
}

/// A GPU that could be measured before and cannot now: no verdict, and the plainest reason to go back.
int without_gpu(Upgrade& upgrade, const std::string& explanation, const ReportArguments& reports,
                const report::Terminal& terminal) {
  const judge::Outcome outcome{
      ExitCode::cannot_judge,
      "cannot judge: the GPU that was measured before the change cannot be used now: " + explanation};
  const auto back = way_back_of(upgrade);
  record(upgrade, outcome, {back, {}, {}, "", conductor::UpgradeState::open, ""}, false);
  return report_without_verdict(
      outcome, reports,
      report::draw(upgrade.change, terminal) + "\n" +
          report::draw(back, "The way back; `gpugauge doctor` says whether less will do", terminal) + "\n" +
          terminal.paint(report::wrap(report::plain(outcome.sentence), terminal.width), report::Tone::bad) +
          "\n");
}

/// Measures every device; "" or why it stopped.
std::string measure(Upgrade& upgrade, const Devices& devices, const MeasureArguments& measuring,
                    conductor::MeasureOptions options, report::ProgressLine& progress) {
  const conductor::UpgradeRecord& record = upgrade.kept.record;
  // As at the beginning, a word need not select something on each of them.
  std::vector<conductor::Target> targets = devices.targets.devices;
  for (conductor::Target& target : targets) target.implied = true;
  const std::vector<conductor::Chosen> chosen =
      conductor::choose_for(conductor::catalogue(), options.profile, targets, record.families, record.only);
  const auto held = hold(targets_of(chosen), measuring, progress);
  if (!held->refusal().empty()) return held->refusal();
  upgrade.attempt = conductor::begin_attempt(upgrade.kept, upgrade.side, run::boot_id(),
                                             conductor::node_fingerprint(devices.gpus));
  baseline::keep_file(conductor::stack_file(upgrade.kept, upgrade.attempt), stack::to_json(upgrade.now));
  conductor::save(upgrade.kept);
  std::string stopped;  // a stop ends the measuring, and not the judging of what is whole
  for (const auto& [target, choice] : chosen) {
    if (!stopped.empty()) return stopped;
    const UpgradeDevice device{target.selection, target.label};
    options.runs_folder = conductor::attempt_folder(upgrade.kept, upgrade.side, device, upgrade.attempt);
    const int missing = conductor::missing_rounds(upgrade.kept, upgrade.side, device, upgrade.attempt);
    const conductor::Rounds rounds = conductor::measure_rounds(
        options, target, choice, devices.gpus, record.rounds - missing + 1, record.rounds, false);
    progress.clear();
    if (!rounds.stopped.empty()) return rounds.stopped;
    if (!rounds.stopped_by.empty())
      stopped = fmt::format("{} asked to stop when {} was measured", rounds.stopped_by, target.label);
  }
  return "";
}

/// Of the side that was measured none where this attempt has no round of the device: earlier ones alone say
/// nothing of now.
conductor::CountedRounds counted(const Upgrade& upgrade, UpgradeSide side, const UpgradeDevice& device) {
  std::vector<conductor::KeptRound> rounds = conductor::kept_rounds(upgrade.kept, side, device);
  if (side == upgrade.side && !rounds.empty() && rounds.back().attempt != upgrade.attempt) return {};
  return conductor::counted_rounds(std::move(rounds), upgrade.kept.record.attempts, device.selection);
}

/// The rounds of this attempt, device by device.
std::vector<judge::ChecksumSide> measured_now(const Upgrade& upgrade) {
  std::vector<judge::ChecksumSide> out;
  for (const UpgradeDevice& device : upgrade.kept.record.devices) {
    judge::ChecksumSide& side = out.emplace_back(judge::ChecksumSide{device.label, {}});
    for (conductor::KeptRound& round : conductor::kept_rounds(upgrade.kept, upgrade.side, device))
      if (round.attempt == upgrade.attempt) side.rounds.push_back(std::move(round.run));
  }
  return out;
}

/// The stack as an attempt found it; nullopt where an earlier version kept none.
std::optional<stack::Inventory> stack_of_attempt(const KeptUpgrade& kept, int attempt) {
  const std::filesystem::path file = conductor::stack_file(kept, attempt);
  if (!result::is_there(file)) return std::nullopt;
  return read_inventory(file.string());
}

/// The old stack measured again against the old stack, and the new one, where there was one, against both.
report::DeviceReport judge_returned(const Upgrade& upgrade, const UpgradeDevice& device,
                                    const judge::Policy& policy, bool strict) {
  std::vector<result::Run> old_runs = conductor::old_side(upgrade.kept, device).runs;
  const conductor::CountedRounds again = counted(upgrade, UpgradeSide::returned, device);
  conductor::OldNewOld sides;
  sides.returned = conductor::judge_upgrade(old_runs, again, report::sentences(upgrade.change), policy,
                                            strict, "", {&upgrade.now, &upgrade.before});
  const conductor::CountedRounds changed = counted(upgrade, UpgradeSide::new_stack, device);
  if (changed.rounds.empty()) return std::move(sides.returned);
  const auto then = stack_of_attempt(upgrade.kept, changed.rounds.back().attempt);
  const conductor::SeenNode node{then ? &*then : nullptr, &upgrade.before};
  sides.changed = conductor::judge_upgrade(old_runs, changed, {}, policy, strict, "", node);
  for (result::Run& run : conductor::runs_of(again.rounds)) old_runs.push_back(std::move(run));
  sides.between = conductor::judge_upgrade(old_runs, changed, {}, policy, strict, "", node);
  std::vector<std::string> first{fmt::format(
      "The new stack against both measurements of the old one (A/B/A): {}.", sides.between.outcome.sentence)};
  auto told = conductor::going_back(sides);
  if (told) first.push_back(told->sentence);
  report::DeviceReport out = std::move(sides.returned);
  out.going_back = std::move(told);
  for (const std::string& sentence : changed.left_out) first.push_back("Of the new stack: " + sentence);
  first.emplace_back("Below: the old stack now against the old stack before the change.");
  out.remarks.insert(out.remarks.begin(), first.begin(), first.end());
  return out;
}

report::Report judged(const Upgrade& upgrade, const Devices& devices, const judge::Policy& policy,
                      bool strict) {
  report::Report out;
  out.command = "upgrade";
  out.host = conductor::node_name(stack::Tree("/"));
  stack::Context context;
  context.environment = stack::current_environment();
  out.stack = stack::layers(stack::with_report(stack::files_of_node(context), devices.gpus));
  for (const UpgradeDevice& device : upgrade.kept.record.devices) {
    out.devices.push_back(upgrade.side == UpgradeSide::returned
                              ? judge_returned(upgrade, device, policy, strict)
                              : conductor::judge_upgrade(conductor::old_side(upgrade.kept, device).runs,
                                                         counted(upgrade, UpgradeSide::new_stack, device),
                                                         report::sentences(upgrade.change), policy, strict,
                                                         "boot it and run `gpugauge upgrade end` once more",
                                                         {&upgrade.now, &upgrade.before}));
    out.devices.back().label = device.label;
    out.devices.back().selection = device.selection;
  }
  // What the devices show together is of now: a card that was put back was lost in an earlier attempt.
  out.node = conductor::judge_node(measured_now(upgrade));
  out.outcome = conductor::combine(out.devices, out.node);
  return out;
}

/// Writes the reports, notes how it ended, and shows it; an upgrade is closed when all of it is there.
int finish(Upgrade& upgrade, report::Report& report, const ReportArguments& reports,
           const report::Terminal& terminal) {
  Followed followed = follow(upgrade, report, terminal);
  // The reports have no room below: what is printed there is said beside the first device.
  for (const stack::Advice& one : followed.way_back)
    report.devices.front().remarks.push_back(
        fmt::format("The way back: {}{}", one.what,
                    one.commands.empty() ? "" : fmt::format(" ({})", fmt::join(one.commands, "; "))));
  Beside beside;
  write_report_files(&report, reports, beside);
  if (beside.any() && followed.state != conductor::UpgradeState::open) {
    followed.state = conductor::UpgradeState::open;
    followed.last =
        report::wrap(fmt::format("upgrade {} stays open: a report could not be written; `gpugauge "
                                 "upgrade end` measures again",
                                 upgrade.kept.record.name),
                     terminal.width) +
        "\n";
  }
  record(upgrade, report.outcome, followed, true);
  show_report(&report, reports,
              report::draw(upgrade.change, terminal) + "\n" +
                  report::draw(report, terminal, {reports.every_metric}) + "\n" + followed.text +
                  followed.last,
              beside);
  if (beside.any() && followed.state != conductor::UpgradeState::open) {
    followed.state = conductor::UpgradeState::open;  // nobody saw it
    record(upgrade, report.outcome, followed, true);
  }
  return beside.end(static_cast<int>(report.outcome.code));
}

/// The new side is measured like the old one, which says by now what a policy can reach: a bad entry costs no
/// measurement and closes no upgrade.
void require_matches(const judge::Policy& policy, const KeptUpgrade& kept) {
  if (policy.metrics.empty()) return;
  judge::SeenMetrics seen;
  for (const UpgradeDevice& device : kept.record.devices)
    seen.add_measured(conductor::old_side(kept, device).runs);
  judge::require_matches(policy, seen, known_benchmarks());
}

int end(const UpgradeEndArguments& arguments, const Invocation& invocation) {
  check_report_arguments(arguments.report);
  const judge::Policy decided = policy(arguments.policy);
  const std::filesystem::path state = state_directory(arguments.state_directory);
  const auto only_one = hold_upgrades(state, "gpugauge upgrade end");
  Upgrade upgrade;
  upgrade.kept = require_open(state);
  const conductor::UpgradeRecord& kept = upgrade.kept.record;
  if (!arguments.anyway) require_this_host(kept);
  const report::Terminal terminal = report::terminal(1);
  upgrade.request = parse_target(kept.target);
  upgrade.before = recorded_stack(upgrade.kept);
  upgrade.now = stack_now(upgrade.kept, upgrade.before, arguments.source);
  upgrade.change = stack::stack_change(upgrade.before, upgrade.now, upgrade.request,
                                       conductor::new_stack_measured(upgrade.kept));
  if (kept.state == conductor::UpgradeState::measuring)
    throw result::UsageError(fmt::format(
        "the old stack of upgrade {} is not measured yet: {}", kept.name,
        upgrade.change.changed() ? old_stack_is_gone : "`gpugauge upgrade begin --resume` goes on"));
  require_matches(decided, upgrade.kept);
  // What is measured now would be of neither stack, whatever was asked for.
  if (const std::string why = conductor::not_restarted(upgrade.before, upgrade.now); !why.empty())
    return without_verdict(upgrade, why, arguments.report, terminal);
  // Rounds of the old stack are the old stack's, also where nobody went away from it.
  if (!upgrade.change.changed() && (conductor::new_stack_measured(upgrade.kept) || arguments.anyway)) {
    upgrade.side = UpgradeSide::returned;
  } else if (const std::string why = conductor::nothing_to_judge(upgrade.change);
             !why.empty() && !arguments.anyway) {
    return without_verdict(upgrade, why, arguments.report, terminal);
  }

  std::vector<std::string> selections;
  for (const UpgradeDevice& device : kept.devices) selections.push_back(device.selection);
  const std::string selection = fmt::format("{}", fmt::join(selections, ","));
  stack::GpuReport gpus = conductor::host_only(selection) ? stack::GpuReport{} : stack::probe_gpus();
  if (const std::string gone = conductor::not_there(kept, gpus); !gone.empty())
    return without_gpu(upgrade, gone, arguments.report, terminal);
  const Devices devices = find_devices(selection, std::move(gpus));
  if (devices.targets.gpu_wanted && devices.gpus.state != stack::GpuState::usable)
    return without_gpu(upgrade, devices.gpus.explanation, arguments.report, terminal);

  MeasureArguments measuring;
  measuring.device = selection;
  measuring.profile = kept.profile;
  measuring.families = kept.families;
  measuring.only = kept.only;
  measuring.process_limit = arguments.process_limit > 0 ? arguments.process_limit : kept.process_limit;
  measuring.seed = arguments.seed;
  measuring.seed_given = arguments.seed_given;
  measuring.state_directory = arguments.state_directory;
  report::ProgressLine progress(report::terminal(2), arguments.quiet);
  if (const std::string stopped =
          measure(upgrade, devices, measuring, measure_options(measuring, invocation, progress), progress);
      !stopped.empty())
    return without_verdict(upgrade,
                           stopped + "; the whole rounds are kept, and `gpugauge upgrade end` goes on",
                           arguments.report, terminal);

  report::Report report = judged(upgrade, devices, decided, arguments.strict);
  return finish(upgrade, report, arguments.report, terminal);
}

}  // namespace

void add_upgrade_end(CLI::App& upgrade, const Invocation& invocation, Action& action) {
  CLI::App* command =
      upgrade.add_subcommand("end", "Measure the new stack like the old one, compare, and say what to do");
  command->footer(upgrade_end_footer);
  auto arguments = std::make_shared<UpgradeEndArguments>();
  add_stack_options(*command, arguments->source);
  add_report_options(*command, arguments->report);
  add_every_metric_option(*command, arguments->report);
  add_policy_options(*command, arguments->policy);
  command->add_option("--seed", arguments->seed, "Seed of the random order")->check(whole_number());
  command
      ->add_option("--process-limit", arguments->process_limit,
                   "End one process of a family after this many seconds (default: as when it was begun)")
      ->check(above_zero())
      ->type_name("SECONDS");
  command->add_option("--state-dir", arguments->state_directory, "Where the upgrade is kept")
      ->type_name("DIR");
  command->add_flag(
      "--anyway", arguments->anyway,
      "Measure although nothing, or not what was planned, changed, or the host has another name");
  command->add_flag("--strict", arguments->strict, "End with 4 when a metric stays inconclusive or unstable");
  command->add_flag("-q,--quiet", arguments->quiet, "No progress line");
  command->callback([command, arguments, &invocation, &action] {
    arguments->seed_given = command->count("--seed") > 0;
    action = [arguments, &invocation] { return end(*arguments, invocation); };
  });
}

}  // namespace gpugauge::cli
