// gpugauge upgrade begin: the old stack, planned, recorded and measured before anything is changed.
#include "conductor/upgrade_begin.hpp"

#include <memory>

#include <fmt/format.h>

#include "cli/doctor.hpp"
#include "cli/upgrade.hpp"
#include "judge/before_after.hpp"
#include "judge/statistics.hpp"
#include "report/format.hpp"
#include "report/questions.hpp"
#include "report/table.hpp"
#include "report/upgrade.hpp"
#include "result/build.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* upgrade_begin_footer =
    "Examples:\n"
    "  gpugauge upgrade begin --to driver=580,cuda=13.0   plan, record and measure the old stack\n"
    "  gpugauge upgrade begin --resume                    go on with one that was interrupted\n"
    "\n"
    "Exit codes: 0 the old stack is measured; 1 the plan does not work here, and nothing was measured; 2 "
    "usage or tool error, or a round that no baseline may hold; 3 no usable GPU, or interrupted.";

struct UpgradeBeginArguments {
  MeasureArguments measure;
  StackSource source;
  std::string target;
  int rounds = 5;
  bool resume = false;
  bool anyway = false;
  bool json = false;
};

/// What the measured rounds will be able to show.
std::string draw_sight(const conductor::KeptUpgrade& kept, const report::Terminal& terminal) {
  std::string out;
  for (const conductor::UpgradeDevice& device : kept.record.devices) {
    const std::vector<judge::Sensitivity> rows = judge::foreseen(conductor::old_side(kept, device));
    std::vector<double> drops;
    drops.reserve(rows.size());
    for (const judge::Sensitivity& row : rows) drops.push_back(row.minimum_detectable_drop);
    out += terminal.paint(report::plain(device.label), report::Tone::strong) + "\n";
    if (drops.empty()) {
      out += "  no metric was measured in two rounds: nothing could be compared\n";
      continue;
    }
    const double middle = judge::median(drops);
    // Nothing drops by more than all of it.
    const std::string sight =
        middle < .9995 ? fmt::format("a drop of {} (median) will be found with 90% probability",
                                     report::detectable(middle))
                       : fmt::format("no drop will be found: the middle metric would have to be {} worse",
                                     report::detectable(middle));
    out += "  " +
           report::wrap(
               fmt::format("{} rounds, {}. Against as many rounds of the new stack in one other boot "
                           "{}; how boots differ is assumed (1% and more), and every further boot of the new "
                           "stack sees more.",
                           kept.record.rounds, result::counted(drops.size(), "metric"), sight),
               terminal.width, 2) +
           "\n" + report::draw_by_class(rows, terminal);
  }
  return out;
}

/// What is known before anything is measured: the plan, what is recorded, and what to type.
std::string draw_before(const conductor::KeptUpgrade& kept, const stack::Inventory& before,
                        const stack::PlanRequest& request, const report::Terminal& terminal) {
  std::string out;
  const auto title = [&](const char* text) { return terminal.paint(text, report::Tone::strong) + "\n"; };
  if (request.versions.empty()) {
    out += title("Plan") +
           "  none: `upgrade end` will compare whatever has changed. --to says what should change.\n\n";
  } else {
    out += title("Plan") +
           report::draw(stack::plan(request, before, stack::tables(), {stack::Policy::development, today()}),
                        terminal) +
           "\n";
  }
  const report::Doctor doctor = examine(before, stack::Policy::development);
  for (const stack::Finding& finding : doctor.findings)
    if (finding.severity == stack::Severity::failure) out += report::draw(finding, terminal, false) + "\n";
  out += title("Recorded packages") + report::draw_packages(before, terminal) + "\n";
  return out + report::draw(conductor::advice_before(kept, before, request),
                            "Before the change; nothing of this was done for you", terminal);
}

std::string draw_measured(const conductor::KeptUpgrade& kept, const report::Terminal& terminal) {
  std::string out =
      "\n" + terminal.paint("What will be seen", report::Tone::strong) + "\n" + draw_sight(kept, terminal);
  out += fmt::format("\n  way back: {}\n  stack:    {}\n", (kept.folder / "way-back.txt").string(),
                     (kept.folder / "inventory.json").string());
  return out + "\n" +
         terminal.paint(fmt::format("upgrade {} is open: make the change, then `gpugauge upgrade end`",
                                    kept.record.name),
                        report::Tone::good) +
         "\n";
}

conductor::KeptUpgrade resumed(const std::filesystem::path& state, const StackSource& given,
                               stack::Inventory& before) {
  conductor::KeptUpgrade kept = require_open(state);
  if (kept.record.state != conductor::UpgradeState::measuring)
    throw result::UsageError(
        fmt::format("the old stack of upgrade {} is measured: make the change, then "
                    "`gpugauge upgrade end`",
                    kept.record.name));
  require_this_host(kept.record);
  before = recorded_stack(kept);
  const stack::StackChange change = stack::stack_change(before, stack_now(kept, before, given), {});
  if (change.changed())
    throw result::UsageError(fmt::format(
        "the stack changed since upgrade {} was begun, so that its old side cannot be measured as it is now: "
        "{} What remains: {}",
        kept.record.name, change.layers.front().sentence, old_stack_is_gone));
  return kept;
}

/// The upgrade that is resumed decides what is measured, the number of processes apart.
void measure_as_begun(conductor::UpgradeRecord& record, MeasureArguments& measure) {
  measure.device = record.device;
  measure.profile = record.profile;
  measure.families = record.families;
  measure.only = record.only;
  if (measure.process_limit > 0)
    record.process_limit = measure.process_limit;
  else
    measure.process_limit = record.process_limit;
}

void refuse_second(const std::filesystem::path& state) {
  const auto open = conductor::open_upgrade(state);
  if (!open) return;
  require_this_host(open->record);
  throw result::UsageError(
      fmt::format("upgrade {} is {} since {}; `gpugauge upgrade {}, or `gpugauge upgrade close --reason ...`",
                  open->record.name, to_string(open->record.state), open->record.created,
                  open->record.state == conductor::UpgradeState::measuring ? "begin --resume` goes on with it"
                                                                           : "end` judges it"));
}

/// What the options say of the upgrade.
conductor::UpgradeRecord asked_of(const UpgradeBeginArguments& arguments) {
  conductor::UpgradeRecord record;
  record.target = arguments.target;
  record.root = std::filesystem::absolute(arguments.source.root).lexically_normal().string();
  record.device = arguments.measure.device;
  record.profile = arguments.measure.profile;
  record.families = arguments.measure.families;
  record.only = arguments.measure.only;
  record.rounds = arguments.rounds;
  record.process_limit = arguments.measure.process_limit;
  return record;
}

/// Plans and records a new upgrade in `kept`. Returns 0; the exit code where the plan does not work here: then
/// that was said, and nothing was recorded.
int plan_and_record(const UpgradeBeginArguments& arguments, const std::filesystem::path& state,
                    bool gpu_wanted, const std::vector<conductor::Chosen>& chosen,
                    conductor::KeptUpgrade& kept, stack::Inventory& before) {
  constexpr int does_not_work = static_cast<int>(judge::ExitCode::regressed);
  conductor::UpgradeBegin begin{
      asked_of(arguments), read_stack(arguments.source), parse_target(arguments.target), {}};
  if (!begin.request.versions.empty())
    begin.plan =
        stack::plan(begin.request, begin.before, stack::tables(), {stack::Policy::development, today()});
  if (begin.plan && begin.plan->outcome == stack::Fit::fails && !arguments.anyway) {
    const int code = print_verdict(report::draw(*begin.plan, report::terminal(1)), does_not_work);
    warn("nothing was recorded or measured: change the plan, or say --anyway");
    return code;
  }
  const result::Build& build = result::build();
  if (gpu_wanted && !arguments.anyway && conductor::too_old_for_build(begin.request, build.minimum_driver)) {
    warn(fmt::format(
        "this gpugauge was built with CUDA {} and needs driver {} or newer: it could not measure "
        "the new stack; use one that was built with an older CUDA for both sides, or say --anyway",
        build.cuda, build.minimum_driver));
    return does_not_work;
  }
  kept = conductor::record_upgrade(state, begin, this_host(), targets_of(chosen));
  before = std::move(begin.before);
  return 0;
}

int begin(UpgradeBeginArguments arguments, const Invocation& invocation) {
  parse_target(arguments.target);  // before anything is touched
  const std::filesystem::path state = state_directory(arguments.measure.state_directory);
  const auto only_one = hold_upgrades(state, "gpugauge upgrade begin");
  conductor::KeptUpgrade kept;
  stack::Inventory before;
  if (arguments.resume) {
    kept = resumed(state, arguments.source, before);
    measure_as_begun(kept.record, arguments.measure);
  } else {
    refuse_second(state);
  }
  report::ProgressLine progress(report::terminal(2), arguments.measure.quiet);
  const conductor::MeasureOptions options = measure_options(arguments.measure, invocation, progress);
  const Devices devices = find_devices(arguments.measure.device);
  if (devices.targets.gpu_wanted && devices.gpus.state != stack::GpuState::usable) {
    warn(
        fmt::format("no usable GPU, so that the old stack cannot be measured: {}", devices.gpus.explanation));
    return static_cast<int>(judge::ExitCode::cannot_judge);
  }
  const std::vector<conductor::Chosen> chosen =
      conductor::choose_for(conductor::catalogue(), options.profile, devices.targets.devices,
                            arguments.measure.families, arguments.measure.only);
  const auto held = hold(targets_of(chosen), arguments.measure, progress);
  if (!held->refusal().empty()) return busy(*held);
  for (const conductor::Chosen& one : chosen) conductor::refuse_unmeasured(one.choice);
  if (!arguments.resume)
    if (const int code = plan_and_record(arguments, state, devices.targets.gpu_wanted, chosen, kept, before);
        code != 0)
      return code;
  if (!arguments.json)
    print(draw_before(kept, before, parse_target(kept.record.target), report::terminal(1)));
  if (const std::string stopped =
          conductor::measure_old_sides(kept, options, chosen, devices.gpus, [&] { progress.clear(); });
      !stopped.empty()) {
    warn(fmt::format("{}; the whole rounds are kept: `gpugauge upgrade begin --resume` goes on", stopped));
    return static_cast<int>(judge::ExitCode::cannot_judge);
  }
  kept.record.state = conductor::UpgradeState::open;
  conductor::save(kept);
  print(arguments.json ? conductor::to_json(kept.record) : draw_measured(kept, report::terminal(1)));
  return 0;
}

}  // namespace

void add_upgrade_begin(CLI::App& upgrade, const Invocation& invocation, Action& action) {
  CLI::App* command = upgrade.add_subcommand("begin", "Plan the change, record and measure the old stack");
  command->footer(upgrade_begin_footer);
  auto arguments = std::make_shared<UpgradeBeginArguments>();
  add_measure_options(*command, arguments->measure);
  add_stack_options(*command, arguments->source);
  command
      ->add_option("--to", arguments->target,
                   "What the stack is to become: driver, cuda, cudnn, nccl, a framework, python, gcc ...")
      ->type_name("LAYER=VERSION,...");
  command->add_option("-n,--rounds", arguments->rounds, "Rounds of each side")
      ->capture_default_str()
      ->check(CLI::Range(2, 100));
  command->add_flag("--resume", arguments->resume, "Go on with an interrupted one");
  command->add_flag("--anyway", arguments->anyway, "Also where the plan does not work");
  command->add_flag("--json", arguments->json, "The record as JSON on standard output");
  command->callback([command, arguments, &invocation, &action] {
    arguments->measure.seed_given = command->count("--seed") > 0;
    if (arguments->resume)
      for (const char* const name :
           {"--to", "--device", "--profile", "--family", "--only", "--rounds", "--anyway"})
        if (command->count(name) > 0)
          throw CLI::ValidationError(name, "it was decided when the upgrade was begun; --resume keeps it");
    action = [arguments, &invocation] { return begin(*arguments, invocation); };
  });
}

}  // namespace gpugauge::cli
