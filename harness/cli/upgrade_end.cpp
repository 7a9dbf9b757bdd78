// gpugauge upgrade end: the new stack measured like the old one, compared, and what to do about it.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/upgrade.hpp"
#include "conductor/node_fingerprint.hpp"
#include "conductor/outcome.hpp"
#include "conductor/upgrade.hpp"
#include "report/console.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "report/upgrade.hpp"
#include "result/error.hpp"
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
using judge::ExitCode;

struct UpgradeEndArguments {
  ReportArguments report;
  PolicyArguments policy;
  StackSource source;
  std::string state_directory;
  std::uint64_t seed = 0;
  bool seed_given = false;
  bool anyway = false;
  bool strict = false;
  bool quiet = false;
};

/// What one `upgrade end` works with.
struct Upgrade {
  KeptUpgrade kept;
  stack::Inventory before, now;
  stack::PlanRequest request;
  stack::StackChange change;
  std::string side = "new";
  std::vector<stack::Advice> way_back;  ///< where going back was advised
};

std::vector<std::string> commands_of(const std::vector<stack::Advice>& advice) {
  std::vector<std::string> out;
  for (const stack::Advice& one : advice) out.insert(out.end(), one.commands.begin(), one.commands.end());
  return out;
}

std::vector<stack::Advice> way_back_of(const Upgrade& upgrade) {
  return stack::way_back(upgrade.before, upgrade.now, upgrade.request, upgrade.kept.record.name);
}

void record(Upgrade& upgrade, const judge::Outcome& outcome, const std::vector<stack::Advice>& way_back) {
  upgrade.kept.record.attempts.push_back({baseline::utc_now(), upgrade.side, static_cast<int>(outcome.code),
                                          outcome.sentence, report::sentences(upgrade.change),
                                          commands_of(way_back)});
  upgrade.way_back = way_back;
  conductor::save(upgrade.kept);
}

/// Why there is nothing to measure; "" where there is.
std::string nothing_to_judge(const Upgrade& upgrade) {
  using State = stack::LayerChange::State;
  const stack::StackChange& change = upgrade.change;
  if (!change.changed())
    return "nothing changed: the stack is what `upgrade begin` recorded, so that there is nothing to "
           "compare; "
           "--anyway measures it all the same";
  if (!change.planned) return "";
  std::vector<std::string> missing;
  for (const stack::LayerChange& layer : change.layers) {
    if (layer.state == State::reached || layer.state == State::other) return "";
    if (layer.state == State::unchanged || layer.state == State::partly) missing.push_back(layer.layer);
  }
  return fmt::format(
      "the planned change did not take place: {}; something else changed; --anyway judges that",
      fmt::join(missing, ", "));
}

/// The reports of an upgrade of which no device was judged.
int report_without_verdict(const judge::Outcome& outcome, const ReportArguments& reports,
                           const std::string& table) {
  const report::Report report{"upgrade", {}, "", {}, {}, outcome};
  return write_reports(&report, reports, table, static_cast<int>(outcome.code));
}

int without_verdict(Upgrade& upgrade, const std::string& why, const ReportArguments& reports,
                    const report::Terminal& terminal) {
  const judge::Outcome outcome{ExitCode::cannot_judge, "cannot judge: " + why};
  upgrade.side = "none";
  record(upgrade, outcome, {});
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
  upgrade.side = "none";
  record(upgrade, outcome, back);
  return report_without_verdict(
      outcome, reports,
      report::draw(upgrade.change, terminal) + "\n" +
          report::draw(back, "The way back; `gpugauge doctor` says whether less will do", terminal) + "\n" +
          terminal.paint(report::wrap(report::plain(outcome.sentence), terminal.width), report::Tone::bad) +
          "\n");
}

/// True when no fact of the stack that both tell differs.
bool same_stack(const result::Facts& now, const result::Facts& then) {
  return std::all_of(now.begin(), now.end(), [&](const auto& fact) {
    const auto found = then.find(fact.first);
    return found == then.end() || found->second == fact.second;
  });
}

/// Rounds still to measure on this side, of this boot and this stack: what an interrupted `upgrade end` left,
/// or all.
int missing_rounds(const KeptUpgrade& kept, const std::string& side, const UpgradeDevice& device,
                   const stack::GpuReport& gpus) {
  const std::vector<result::Run> have = conductor::kept_rounds(kept, side, device);
  const std::string boot = run::boot_id();
  const result::Facts now = conductor::node_fingerprint(gpus).stack;
  const auto here = static_cast<int>(std::count_if(have.begin(), have.end(), [&](const result::Run& one) {
    return one.boot_id == boot && same_stack(now, one.fingerprint.stack);
  }));
  return kept.record.rounds - here % kept.record.rounds;
}

/// Measures every device; "" or why it stopped.
std::string measure(const Upgrade& upgrade, const Devices& devices, const MeasureArguments& measuring,
                    conductor::MeasureOptions options, report::ProgressLine& progress) {
  const conductor::UpgradeRecord& record = upgrade.kept.record;
  // As at the beginning, a word need not select something on each of them.
  std::vector<conductor::Target> targets = devices.targets.devices;
  for (conductor::Target& target : targets) target.implied = true;
  const std::vector<conductor::Chosen> chosen =
      conductor::choose_for(conductor::catalogue(), options.profile, targets, record.families, record.only);
  const auto held = hold(targets_of(chosen), measuring, progress);
  if (!held->refusal().empty()) return held->refusal();
  std::string stopped;  // a stop ends the measuring, and not the judging of what is whole
  for (const auto& [target, choice] : chosen) {
    if (!stopped.empty()) return stopped;
    const UpgradeDevice device{target.selection, target.label};
    options.runs_folder = upgrade.kept.folder / upgrade.side / device.selection;
    const conductor::Rounds rounds =
        conductor::measure_rounds(options, target, choice, devices.gpus, 1,
                                  missing_rounds(upgrade.kept, upgrade.side, device, devices.gpus), false);
    progress.clear();
    if (!rounds.stopped.empty()) return rounds.stopped;
    if (!rounds.stopped_by.empty())
      stopped = fmt::format("{} asked to stop when {} was measured", rounds.stopped_by, target.label);
  }
  return "";
}

/// The old stack measured again against the old stack, and the new one, where there was one, against both.
report::DeviceReport judge_returned(const Upgrade& upgrade, const UpgradeDevice& device,
                                    const judge::Policy& policy, bool strict) {
  std::vector<result::Run> old_runs = conductor::old_side(upgrade.kept, device).runs;
  const std::vector<result::Run> again = conductor::kept_rounds(upgrade.kept, "returned", device);
  report::DeviceReport out =
      conductor::judge_upgrade(old_runs, again, report::sentences(upgrade.change), policy, strict);
  const std::vector<result::Run> changed = conductor::kept_rounds(upgrade.kept, "new", device);
  if (changed.empty()) return out;
  old_runs.insert(old_runs.end(), again.begin(), again.end());
  const report::DeviceReport middle = conductor::judge_upgrade(old_runs, changed, {}, policy, strict);
  out.remarks.insert(out.remarks.begin(),
                     fmt::format("The new stack against both measurements of the old one (A/B/A): {}.",
                                 middle.outcome.sentence));
  out.remarks.insert(out.remarks.begin(),
                     "Below: the old stack now against the old stack before the change.");
  return out;
}

report::Report judged(const Upgrade& upgrade, const Devices& devices, const judge::Policy& policy,
                      bool strict) {
  report::Report out;
  out.command = "upgrade";
  stack::Context context;
  context.environment = stack::current_environment();
  out.stack = stack::layers(stack::with_report(stack::files_of_node(context), devices.gpus));
  for (const UpgradeDevice& device : upgrade.kept.record.devices) {
    out.devices.push_back(upgrade.side == "returned"
                              ? judge_returned(upgrade, device, policy, strict)
                              : conductor::judge_upgrade(conductor::old_side(upgrade.kept, device).runs,
                                                         conductor::kept_rounds(upgrade.kept, "new", device),
                                                         report::sentences(upgrade.change), policy, strict));
    out.devices.back().label = device.label;
    out.devices.back().selection = device.selection;
  }
  out.outcome = conductor::combine(out.devices);
  return out;
}

std::vector<stack::Advice> after_pass(const Upgrade& upgrade) {
  std::vector<stack::Advice> out = stack::advice_after_pass(upgrade.before, upgrade.now);
  stack::Advice pin{"Pin what was measured as the baseline of the new stack.",
                    "The nightly check compares with it from now on; rounds of other days make it see more.",
                    {}};
  for (const UpgradeDevice& device : upgrade.kept.record.devices)
    pin.commands.push_back(fmt::format("gpugauge baseline create {}/*.json",
                                       (upgrade.kept.folder / "new" / device.selection).string()));
  out.insert(out.begin(), std::move(pin));
  return out;
}

/// Whether a round of another stack than the old one is kept.
bool new_stack_measured(const KeptUpgrade& kept) {
  return std::any_of(
      kept.record.devices.begin(), kept.record.devices.end(),
      [&](const UpgradeDevice& device) { return !conductor::kept_rounds(kept, "new", device).empty(); });
}

/// What follows from the verdict: the record's next state, and what is printed below the report.
std::string follow(Upgrade& upgrade, const report::Report& report, const report::Terminal& terminal) {
  conductor::UpgradeRecord& kept = upgrade.kept.record;
  std::vector<stack::Advice> back;
  std::string out;
  const auto say = [&](const std::string& sentence) {
    out += report::wrap(report::plain(sentence), terminal.width) + "\n";
  };
  const bool passed = report.outcome.code == ExitCode::pass;
  if (passed && !report.outcome.decided) {
    say(
        fmt::format("upgrade {} stays open: nothing could be decided, so that nothing speaks for it either; "
                    "`gpugauge upgrade end` adds rounds, `gpugauge upgrade close --reason ...` ends it",
                    kept.name));
  } else if (upgrade.side == "returned" && !new_stack_measured(upgrade.kept)) {
    say(passed
            ? fmt::format("upgrade {} stays open: nothing changed yet, and the old stack measured again "
                          "agrees with itself; make the change",
                          kept.name)
            : "Nothing changed in the stack, and the machine is not what it was when the upgrade began: no "
              "change of versions is the cause; find it before you make one.");
  } else if (passed && upgrade.side == "returned") {
    kept.state = conductor::UpgradeState::returned;
    say(fmt::format("upgrade {} is closed: the machine is as it was before it", kept.name));
  } else if (upgrade.side == "returned") {
    say("The stack is the old one again, and the machine is not what it was: the change of versions is not, "
        "or not alone, the cause.");
  } else if (passed && upgrade.change.complete()) {
    kept.state = conductor::UpgradeState::passed;
    out += report::draw(after_pass(upgrade), "Now", terminal) + "\n";
    say(fmt::format("upgrade {} is closed: passed", kept.name));
  } else if (passed) {
    say(fmt::format(
        "upgrade {} stays open: not all that was planned is there; `gpugauge upgrade end` again when "
        "it is, or `gpugauge upgrade close --reason ...`",
        kept.name));
  } else {
    const conductor::UpgradeConclusion conclusion = conductor::conclude(report.devices, upgrade.change);
    if (conclusion.roll_back) back = way_back_of(upgrade);
    for (const std::string& sentence : conclusion.sentences) say(sentence);
    out += report::draw(back, "The way back", terminal);
    if (conclusion.roll_back && back.empty())
      say(
          fmt::format("No package or version differs that these commands could bring back; {} lists what was "
                      "recorded.",
                      (upgrade.kept.folder / "way-back.txt").string()));
    say(fmt::format("upgrade {} stays open: `gpugauge upgrade end` measures again", kept.name));
  }
  if (!kept.is_open()) kept.closed = baseline::utc_now();
  record(upgrade, report.outcome, back);
  return out;
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
  if (kept.state == conductor::UpgradeState::measuring)
    throw result::UsageError(
        fmt::format("the old stack of upgrade {} is not measured yet: `gpugauge upgrade begin "
                    "--resume` goes on, and what has changed since cannot be undone by it",
                    kept.name));
  require_matches(decided, upgrade.kept);
  const report::Terminal terminal = report::terminal(1);
  upgrade.request = parse_target(kept.target);
  upgrade.before = recorded_stack(upgrade.kept);
  StackSource source{kept.root, kept.python};
  if (arguments.source.root != "/") source.root = arguments.source.root;
  if (!arguments.source.python.empty()) source.python = arguments.source.python;
  upgrade.now = read_stack(source);
  upgrade.change = stack::stack_change(upgrade.before, upgrade.now, upgrade.request);

  // Rounds of the old stack are the old stack's, also where nobody went away from it.
  if (!upgrade.change.changed() && (new_stack_measured(upgrade.kept) || arguments.anyway)) {
    upgrade.side = "returned";
  } else if (const std::string why = nothing_to_judge(upgrade); !why.empty() && !arguments.anyway) {
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
  const std::string below = follow(upgrade, report, terminal);
  const std::string table = report::draw(upgrade.change, terminal) + "\n" +
                            report::draw(report, terminal, {arguments.report.every_metric}) + "\n" + below;
  // The reports have no room below: what is printed there is said beside the first device.
  for (const stack::Advice& one : upgrade.way_back)
    report.devices.front().remarks.push_back(
        fmt::format("The way back: {}{}", one.what,
                    one.commands.empty() ? "" : fmt::format(" ({})", fmt::join(one.commands, "; "))));
  return write_reports(&report, arguments.report, table, static_cast<int>(report.outcome.code));
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
  command->add_option("--state-dir", arguments->state_directory, "Where the upgrade is kept")
      ->type_name("DIR");
  command->add_flag("--anyway", arguments->anyway,
                    "Measure although nothing, or not what was planned, changed");
  command->add_flag("--strict", arguments->strict, "End with 4 when a metric stays inconclusive or unstable");
  command->add_flag("-q,--quiet", arguments->quiet, "No progress line");
  command->callback([command, arguments, &invocation, &action] {
    arguments->seed_given = command->count("--seed") > 0;
    action = [arguments, &invocation] { return end(*arguments, invocation); };
  });
}

}  // namespace gpugauge::cli
