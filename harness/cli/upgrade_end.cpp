// gpugauge upgrade end: the new stack measured like the old one, compared, and what to do about it.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/upgrade.hpp"
#include "conductor/host_identity.hpp"
#include "conductor/policy_metrics.hpp"
#include "conductor/upgrade_follow.hpp"
#include "report/console.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "report/upgrade.hpp"
#include "result/error.hpp"
#include "stack/environment.hpp"
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

using conductor::Followed;
using conductor::UpgradeEnd;
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

/// A sentence, broken at the width of the terminal.
std::string told(const std::string& sentence, const report::Terminal& terminal) {
  return report::wrap(report::plain(sentence), terminal.width) + "\n";
}

/// What to do, below the report.
std::string draw(const Followed& followed, const report::Terminal& terminal) {
  std::string out;
  if (!followed.to_keep_it.empty()) out = report::draw(followed.to_keep_it, "Now", terminal) + "\n";
  for (const std::string& sentence : followed.sentences) out += told(sentence, terminal);
  return out + report::draw(followed.way_back, "The way back", terminal);
}

/// The reports of an upgrade of which no device was judged.
int report_without_verdict(const judge::Outcome& outcome, const ReportArguments& reports,
                           const std::string& table) {
  report::Report report{"upgrade", {}, "", {}, {}, outcome};
  report.host = conductor::node_name(stack::Tree("/"));
  return write_reports(&report, reports, table, static_cast<int>(outcome.code));
}

int without_verdict(UpgradeEnd& upgrade, const std::string& why, const ReportArguments& reports,
                    const report::Terminal& terminal) {
  const judge::Outcome outcome{ExitCode::cannot_judge, "cannot judge: " + why};
  record_end(upgrade, outcome, {}, false);
  return report_without_verdict(
      outcome, reports,
      report::draw(upgrade.change, terminal) + "\n" +
          terminal.paint(report::wrap(outcome.sentence, terminal.width), report::Tone::doubt) + "\n");
}

/// A GPU that could be measured before and cannot now: no verdict, and the plainest reason to go back.
int without_gpu(UpgradeEnd& upgrade, const std::string& explanation, const ReportArguments& reports,
                const report::Terminal& terminal) {
  const judge::Outcome outcome{
      ExitCode::cannot_judge,
      "cannot judge: the GPU that was measured before the change cannot be used now: " + explanation};
  Followed back;
  back.way_back = way_back_of(upgrade);
  record_end(upgrade, outcome, back, false);
  return report_without_verdict(
      outcome, reports,
      report::draw(upgrade.change, terminal) + "\n" +
          report::draw(back.way_back, "The way back; `gpugauge doctor` says whether less will do", terminal) +
          "\n" +
          terminal.paint(report::wrap(report::plain(outcome.sentence), terminal.width), report::Tone::bad) +
          "\n");
}

/// What the upgrade decides of the measuring, and what this command was given.
MeasureArguments measuring(const UpgradeEndArguments& arguments, const conductor::UpgradeRecord& record,
                           const std::string& selection) {
  MeasureArguments out;
  out.device = selection;
  out.profile = record.profile;
  out.families = record.families;
  out.only = record.only;
  out.process_limit = arguments.process_limit > 0 ? arguments.process_limit : record.process_limit;
  out.seed = arguments.seed;
  out.seed_given = arguments.seed_given;
  out.state_directory = arguments.state_directory;
  return out;
}

/// Measures every device; "" or why it stopped.
std::string measure(UpgradeEnd& upgrade, const Devices& devices, const MeasureArguments& measuring,
                    const conductor::MeasureOptions& options, report::ProgressLine& progress) {
  const std::vector<conductor::Chosen> chosen = conductor::choose_as_begun(
      upgrade.kept.record, conductor::catalogue(), options.profile, devices.targets.devices);
  const auto held = hold(targets_of(chosen), measuring, progress);
  if (!held->refusal().empty()) return held->refusal();
  return measure_end(upgrade, chosen, options, devices.gpus, [&] { progress.clear(); });
}

/// The verdict, with what the reports say of the machine.
report::Report judged(const UpgradeEnd& upgrade, const Devices& devices, const judge::Policy& policy,
                      bool strict) {
  stack::Context context;
  context.environment = stack::current_environment();
  report::Report out = judge_end(upgrade, policy, strict);
  out.host = conductor::node_name(stack::Tree("/"));
  out.stack = stack::layers(stack::with_report(stack::files_of_node(context), devices.gpus));
  return out;
}

/// Writes the reports, notes how it ended, and shows it; an upgrade is closed when all of it is there.
int finish(UpgradeEnd& upgrade, report::Report& report, const ReportArguments& reports,
           const report::Terminal& terminal) {
  Followed followed = follow(upgrade, report);
  // The reports have no room below: what is printed there is said beside the first device.
  for (const stack::Advice& one : followed.way_back)
    report.devices.front().remarks.push_back(
        fmt::format("The way back: {}{}", one.what,
                    one.commands.empty() ? "" : fmt::format(" ({})", fmt::join(one.commands, "; "))));
  Beside beside;
  write_report_files(&report, reports, beside);
  if (beside.any() && followed.state != conductor::UpgradeState::open) {
    followed.state = conductor::UpgradeState::open;
    followed.last = fmt::format(
        "upgrade {} stays open: a report could not be written; `gpugauge upgrade end` measures again",
        upgrade.kept.record.name);
  }
  record_end(upgrade, report.outcome, followed, true);
  show_report(&report, reports,
              report::draw(upgrade.change, terminal) + "\n" +
                  report::draw(report, terminal, {reports.every_metric}) + "\n" + draw(followed, terminal) +
                  told(followed.last, terminal),
              beside);
  if (beside.any() && followed.state != conductor::UpgradeState::open) {
    followed.state = conductor::UpgradeState::open;  // nobody saw it
    record_end(upgrade, report.outcome, followed, true);
  }
  return beside.end(static_cast<int>(report.outcome.code));
}

/// The open upgrade, and the stack then and now. Throws result::UsageError where its old side is not measured.
UpgradeEnd opened(const UpgradeEndArguments& arguments, const std::filesystem::path& state) {
  UpgradeEnd out;
  out.kept = require_open(state);
  const conductor::UpgradeRecord& record = out.kept.record;
  if (!arguments.anyway) require_this_host(record);
  out.request = parse_target(record.target);
  out.before = recorded_stack(out.kept);
  out.now = stack_now(out.kept, out.before, arguments.source);
  out.change = stack::stack_change(out.before, out.now, out.request, conductor::new_stack_measured(out.kept));
  if (record.state == conductor::UpgradeState::measuring)
    throw result::UsageError(
        fmt::format("the old stack of upgrade {} is not measured yet: {}", record.name,
                    out.change.changed() ? old_stack_is_gone : "`gpugauge upgrade begin --resume` goes on"));
  return out;
}

int end(const UpgradeEndArguments& arguments, const Invocation& invocation) {
  check_report_arguments(arguments.report);
  const judge::Policy decided = policy(arguments.policy);
  const std::filesystem::path state = state_directory(arguments.state_directory);
  const auto only_one = hold_upgrades(state, "gpugauge upgrade end");
  UpgradeEnd upgrade = opened(arguments, state);
  const conductor::UpgradeRecord& record = upgrade.kept.record;
  const report::Terminal terminal = report::terminal(1);
  // A bad entry costs no measurement and closes no upgrade.
  if (!decided.metrics.empty())
    judge::require_matches(decided, conductor::old_metrics(upgrade.kept),
                           conductor::known_benchmarks(conductor::catalogue()));
  if (const std::string why = choose_side(upgrade, arguments.anyway); !why.empty())
    return without_verdict(upgrade, why, arguments.report, terminal);

  std::vector<std::string> selections;
  for (const conductor::UpgradeDevice& device : record.devices) selections.push_back(device.selection);
  const std::string selection = fmt::format("{}", fmt::join(selections, ","));
  stack::GpuReport gpus = conductor::host_only(selection) ? stack::GpuReport{} : stack::probe_gpus();
  if (const std::string gone = conductor::not_there(record, gpus); !gone.empty())
    return without_gpu(upgrade, gone, arguments.report, terminal);
  const Devices devices = find_devices(selection, std::move(gpus));
  if (devices.targets.gpu_wanted && devices.gpus.state != stack::GpuState::usable)
    return without_gpu(upgrade, devices.gpus.explanation, arguments.report, terminal);

  const MeasureArguments asked = measuring(arguments, record, selection);
  report::ProgressLine progress(report::terminal(2), arguments.quiet);
  if (const std::string stopped =
          measure(upgrade, devices, asked, measure_options(asked, invocation, progress), progress);
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
