// gpugauge check: measure, judge, report.
#include <algorithm>
#include <future>

#include <fmt/format.h>

#include "baseline/kept_file.hpp"
#include "cli/command.hpp"
#include "cli/named_files.hpp"
#include "cli/ranks.hpp"
#include "cli/together.hpp"
#include "conductor/last_verdict.hpp"
#include "judge/checksum_sides.hpp"
#include "judge/policy_file.hpp"
#include "report/console.hpp"
#include "report/format.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/stops_held_back.hpp"
#include "run/output_lock.hpp"
#include "stack/inventory/node.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* check_footer =
    "Examples:\n"
    "  gpugauge check                              every GPU, against its baseline or physical limits\n"
    "  gpugauge check --profile quick --device 0   one GPU\n"
    "  gpugauge check --device host --profile smoke\n"
    "  gpugauge check --only gemm --only memory    two classes or families of benchmarks\n"
    "  gpugauge check --report junit=check.xml --report html=check.html\n"
    "  gpugauge check --treatment driver           the driver was changed on purpose since the baseline\n"
    "\n"
    "Exit codes: 0 pass; 1 regressed or failed; 2 usage or tool error; 3 cannot judge; 4 inconclusive (with "
    "--strict).";

struct CheckArguments {
  MeasureArguments measure;
  ReportArguments report;
  PolicyArguments policy;
  std::string baseline;
  std::string observation;
  std::string store;
  bool strict = false;
  bool devices_together = false;
  bool no_probes = false;
  double budget = conductor::CheckOptions{}.budget_seconds;
};

/// One name a usable GPU of the node, whichever of them are gauged.
std::vector<std::string> gpu_models(const Devices& devices) {
  std::vector<std::string> out;
  if (devices.gpus.state != stack::GpuState::usable) return out;
  for (const auto& gpu : devices.gpus.gpus) out.push_back(gpu.name);
  return out;
}

/// What the user narrowed the check to, as it stands beside the verdict.
conductor::Narrowed narrowed(const MeasureArguments& measure) {
  conductor::Narrowed out = measure.families;
  out.insert(out.end(), measure.only.begin(), measure.only.end());
  return out;
}

/// The same choice for each GPU that is measured together with others.
std::vector<conductor::Chosen> chosen_together(const conductor::Catalogue& catalogue,
                                               const run::Profile& profile, const Devices& devices,
                                               const MeasureArguments& measure) {
  const conductor::Choice choice =
      conductor::choose(catalogue, profile, conductor::DeviceKind::gpu, measure.families, measure.only);
  std::vector<conductor::Chosen> out;
  for (conductor::Target& target : gpus_together(devices, measure))
    out.push_back({std::move(target), choice});
  return out;
}

/// The reports and the observation, which are written when all is measured.
std::vector<std::filesystem::path> output_files(const CheckArguments& arguments,
                                                const ReportArguments& reports) {
  std::vector<std::filesystem::path> out = report_files(reports);
  if (!arguments.observation.empty()) out.emplace_back(own_file(arguments.observation));
  return out;
}

/// Read while the driver is asked, which takes longer; afterwards where the system gives no thread.
std::future<stack::Inventory> begin_to_read_files() {
  const result::StopsHeldBack in_that_thread;
  return std::async(std::launch::async | std::launch::deferred, [] {
    stack::Context context;
    context.environment = stack::current_environment();
    return stack::files_of_node(context);
  });
}

/// What all devices and the node say together, with what kept devices from being measured: `refusal` of who
/// holds one, `stopped` before all of the `wanted` ones.
judge::Outcome outcome_of(const report::Report& report, bool gpu_missing, const std::string& refusal,
                          bool stopped, std::size_t wanted) {
  judge::Outcome found = conductor::combine(report.devices, report.node);
  // What was shown against the node stays, whatever could not be looked at.
  const bool shown = found.code == judge::ExitCode::regressed || found.code == judge::ExitCode::error;
  if (!refusal.empty())
    return shown ? judge::Outcome{found.code,
                                  fmt::format("{}; {}; --wait SECONDS waits for it", found.sentence, refusal)}
                 : judge::Outcome{judge::ExitCode::cannot_judge,
                                  fmt::format("cannot judge: {}; nothing was measured; --wait SECONDS waits "
                                              "for it",
                                              refusal)};
  if (gpu_missing && !shown)
    return {judge::ExitCode::cannot_judge,
            report.devices.empty()
                ? "cannot judge: no usable GPU, nothing was measured"
                : "cannot judge: a GPU was asked for and none is usable; " + found.sentence};
  if (stopped && (found.code == judge::ExitCode::pass || found.code == judge::ExitCode::inconclusive))
    return {judge::ExitCode::cannot_judge, fmt::format("cannot judge: stopped after {} of {} devices; {}",
                                                       report.devices.size(), wanted, found.sentence)};
  return found;
}

/// Every usable GPU of the node was measured to the end, with all that the profile has for it.
bool looked_at_all(const report::Report& report, const Devices& devices,
                   const std::vector<conductor::Chosen>& chosen, const MeasureArguments& measure) {
  const auto is_chosen = [&](const stack::Gpu& gpu) {
    return std::any_of(chosen.begin(), chosen.end(),
                       [&](const conductor::Chosen& one) { return one.target.selection == gpu.uuid; });
  };
  const auto& gpus = devices.gpus.gpus;
  return narrowed(measure).empty() && report.devices.size() == chosen.size() &&
         std::all_of(gpus.begin(), gpus.end(), is_chosen) &&
         std::none_of(report.devices.begin(), report.devices.end(), [](const report::DeviceReport& device) {
           return device.interrupted || !device.broke_off.empty() || !device.rounds.back().complete;
         });
}

int check(const CheckArguments& arguments, const Invocation& invocation) {
  const ReportArguments reports = own_files(arguments.report);
  check_report_arguments(reports);
  say_turns(arguments.measure.device);
  report::ProgressLine progress(report::terminal(2), arguments.measure.quiet);
  conductor::CheckOptions options;
  options.measure = measure_options(arguments.measure, invocation, progress);
  const std::filesystem::path state = state_directory(arguments.measure.state_directory);
  // What is judged by, and where each verdict will be kept.
  for (const char* const folder : {"baselines", "site", "verdicts"})
    baseline::refuse_links_in_state(state / folder);
  std::error_code none_yet;
  for (std::filesystem::directory_iterator verdict(state / "verdicts", none_yet), end;
       !none_yet && verdict != end; verdict.increment(none_yet))
    baseline::refuse_links_in_state(verdict->path());
  if (!arguments.baseline.empty()) options.baseline = baseline::find(arguments.baseline);
  options.strict = arguments.strict;
  options.budget_seconds = arguments.budget;
  options.policy = policy(arguments.policy);
  // A history that is not there must not cost a measurement either.
  TakeTrends add_trends;
  if (!arguments.store.empty()) {
    const bool page = std::any_of(arguments.report.files.begin(), arguments.report.files.end(),
                                  [](const std::string& word) { return word.starts_with("html="); });
    if (!page)
      throw result::UsageError(
          "--store shows earlier nights on the page of --report html=FILE: give that, too");
    add_trends = trends_from(arguments.store);
  }
  judge::KnownBenchmarks known;
  if (!options.policy.metrics.empty()) {
    known = known_benchmarks();
    judge::require_possible(options.policy, known);
  }
  if (!options.baseline.empty()) baseline::load(options.baseline);  // a bad path must not cost a measurement

  std::future<stack::Inventory> files = begin_to_read_files();
  const Devices devices = find_devices(arguments.measure.device);
  report::Report report;
  report.stack = stack::layers(stack::with_report(files.get(), devices.gpus));
  const bool only_host = conductor::host_only(arguments.measure.device);
  const bool gpus_expected = options.policy.expected_gpus || !options.policy.expected_models.empty();
  if (!only_host) report.node = judge::judge_expectations(options.policy, gpu_models(devices));
  const bool gpu_missing = devices.targets.gpu_wanted && devices.gpus.state != stack::GpuState::usable;
  if (gpu_missing) report.gpu_explanation = devices.gpus.explanation;
  // The verdict of each device as soon as it is there. The one of the node last: it holds for all of them.
  std::string not_kept;
  const auto keep = [&](const auto& step) {
    try {
      step();
    } catch (const result::FileError& error) {
      not_kept = error.what();
    }
  };
  const conductor::Catalogue catalogue =
      devices.targets.devices.empty() ? conductor::Catalogue{} : conductor::catalogue();
  const std::vector<conductor::Chosen> chosen =
      arguments.devices_together && !gpu_missing
          ? chosen_together(catalogue, options.measure.profile, devices, arguments.measure)
          : conductor::choose_for(catalogue, options.measure.profile, devices.targets.devices,
                                  arguments.measure.families, arguments.measure.only);
  if (!gpu_missing) conductor::require_sustained(catalogue, options.measure.profile, chosen);
  if (!arguments.observation.empty() && chosen.size() > 1)
    throw result::UsageError(fmt::format(
        "--observation holds one device, and {} would be measured; name one with --device", chosen.size()));
  if (!arguments.no_probes) options.probes = &catalogue;
  const auto held = hold(targets_of(chosen), arguments.measure, progress);
  const run::OutputLocks outputs(output_files(arguments, reports), "gpugauge check");
  Beside beside;
  std::string no_trends;
  bool stopped = false;
  const auto add = [&](report::DeviceReport device) {
    for (const conductor::SilentFamily& family : catalogue.silent) device.remarks.push_back(sentence(family));
    if (only_host && gpus_expected)
      device.remarks.emplace_back(
          "What the policy expects of the node's GPUs was not looked at: only the host was asked for.");
    keep([&] { conductor::keep_verdict(state, device, narrowed(arguments.measure), devices.gpus); });
    try {
      if (add_trends) add_trends(device);
    } catch (const std::exception& error) {
      no_trends = error.what();
    }
    report.devices.push_back(std::move(device));
  };
  if (arguments.devices_together && !chosen.empty() && held->refusal().empty()) {
    const std::vector<conductor::Target> targets = targets_of(chosen);
    const conductor::Choice& choice = chosen.front().choice;
    for (report::DeviceReport& device : conductor::check_in_step(
             options, targets, choice, rounds_together(arguments.measure, options.measure, targets, choice)))
      add(std::move(device));
  } else {
    for (const auto& [target, choice] : chosen) {
      if (!held->refusal().empty()) break;
      try {
        add(conductor::check(options, target, choice, devices.gpus));
      } catch (const std::exception& error) {
        const bool failed = conductor::combine({}, report.node).code == judge::ExitCode::regressed;
        if (report.devices.empty() && !failed) throw;
        beside.add(fmt::format("{}: {}", target.label, error.what()));
        stopped = true;
        break;
      }
      const report::DeviceReport& last = report.devices.back();
      stopped = last.stopped_in_probes && report.devices.size() < chosen.size();
      if (!last.rounds.back().complete || last.interrupted || last.stopped_in_probes) break;
    }
  }
  progress.clear();
  std::vector<judge::ChecksumSide> sides;
  for (const report::DeviceReport& device : report.devices) sides.push_back({device.label, device.rounds});
  for (judge::Verdict& verdict : judge::judge_checksums_between(sides))
    report.node.push_back(std::move(verdict));
  report.outcome = outcome_of(report, gpu_missing, held->refusal(), stopped, chosen.size());
  if (devices.targets.gpu_wanted)
    keep([&] {
      conductor::keep_node_verdict(state, report, looked_at_all(report, devices, chosen, arguments.measure));
    });
  write_reports(&report, reports, report::draw(report, report::terminal(1), {reports.every_metric}), beside);
  try {
    if (!arguments.observation.empty() && !report.devices.empty())
      result::write_file(own_file(arguments.observation),
                         diagnose::to_json(*report.devices.front().observation));
  } catch (const result::FileError& error) {
    beside.add(fmt::format("--observation: {}", error.what()));
  }
  try {
    if (!options.policy.metrics.empty() && !report.devices.empty())
      judge::require_matches(options.policy, seen_in(report.devices), known);
  } catch (const result::UsageError& error) {
    beside.add(error.what());
  }
  for (const report::DeviceReport& device : report.devices) {
    if (!device.broke_off.empty()) beside.add(fmt::format("{}: {}", device.label, device.broke_off));
    for (const std::string& why : device.not_kept)
      beside.add(fmt::format("{}: what was measured and judged could not be kept: {}", device.label, why));
  }
  if (!no_trends.empty()) beside.add(fmt::format("--store: {}", no_trends));
  if (!not_kept.empty())
    beside.add(fmt::format("the verdict could not be kept for `gpugauge status`: {}", not_kept));
  return beside.end(static_cast<int>(report.outcome.code));
}

}  // namespace

void add_check(CLI::App& app, const Invocation& invocation, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Measure a device and judge it");
  command->footer(check_footer);
  auto arguments = std::make_shared<CheckArguments>();
  add_measure_options(*command, arguments->measure);
  add_sustained_option(*command, arguments->measure.sustained_seconds);
  add_report_options(*command, arguments->report);
  add_every_metric_option(*command, arguments->report);
  add_policy_options(*command, arguments->policy);
  add_exit_style_option(*command);
  reads(command->add_option("-b,--baseline", arguments->baseline,
                            "Baseline, by name or folder (default: this node's own, then one of this site, "
                            "then a shipped one)"),
        "NAME|DIR", Reads::baseline);
  writes(command->add_option("--observation", arguments->observation,
                             "Also write what was seen, for `gpugauge diagnose` (docs/observation.md)"),
         "FILE");
  reads(command->add_option(
            "--store", arguments->store,
            "Show each metric over the nights of this history on the page of --report html=FILE: a file, or "
            "postgresql://..."),
        "FILE|URL");
  command->add_flag("--strict", arguments->strict, "End with 4 when a metric stays inconclusive or unstable");
  add_together_option(*command, arguments->devices_together);
  command->add_flag("--no-probes", arguments->no_probes,
                    "Measure nothing more to separate causes when something is slower");
  command
      ->add_option("--budget", arguments->budget,
                   "Begin no further round that would end after this many seconds, and no probe after them")
      ->capture_default_str()
      ->check(above_zero())
      ->type_name("SECONDS");
  command->callback([command, arguments, &invocation, &action] {
    arguments->measure.seed_given = command->count("--seed") > 0;
    action = [arguments, &invocation] { return check(*arguments, invocation); };
  });
}

}  // namespace gpugauge::cli
