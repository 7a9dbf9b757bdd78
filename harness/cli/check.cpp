// gpugauge check: measure, judge, report.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "judge/policy_file.hpp"
#include "report/console.hpp"
#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::cli {
namespace {

struct Arguments {
  MeasureArguments measure;
  ReportArguments report;
  PolicyArguments policy;
  std::string baseline;
  std::string observation;
  bool strict = false;
  double budget = conductor::CheckOptions{}.budget_seconds;
};

/// One name a usable GPU of the node, whichever of them are gauged.
std::vector<std::string> gpu_models(const Devices& devices) {
  std::vector<std::string> out;
  if (devices.gpus.state != stack::GpuState::usable) return out;
  for (const auto& gpu : devices.gpus.gpus) out.push_back(gpu.name);
  return out;
}

int check(const Arguments& arguments, const Invocation& invocation) {
  check_report_arguments(arguments.report);
  report::ProgressLine progress(report::terminal(2), arguments.measure.quiet);
  conductor::CheckOptions options;
  options.measure = measure_options(arguments.measure, invocation, progress);
  state_directory(arguments.measure.state_directory);
  if (!arguments.baseline.empty()) options.baseline = baseline::find(arguments.baseline);
  options.strict = arguments.strict;
  options.budget_seconds = arguments.budget;
  options.policy = policy(arguments.policy);
  if (!options.policy.metrics.empty()) judge::require_matches(options.policy, {}, known_benchmarks());
  if (!options.baseline.empty()) baseline::load(options.baseline);  // a bad path must not cost a measurement

  const Devices devices = find_devices(arguments.measure.device);
  if (!arguments.observation.empty() && devices.targets.devices.size() > 1)
    throw result::UsageError(
        fmt::format("--observation holds one device, and {} would be measured; name one with --device",
                    devices.targets.devices.size()));
  report::Report report;
  report.stack = stack::layers(stack::fingerprint(devices.gpus), devices.gpus);
  if (!conductor::host_only(arguments.measure.device))
    report.node = judge::judge_expectations(options.policy, gpu_models(devices));
  const bool gpu_missing = devices.targets.gpu_wanted && devices.gpus.state != stack::GpuState::usable;
  if (gpu_missing) report.gpu_explanation = devices.gpus.explanation;
  const conductor::Catalogue catalogue =
      devices.targets.devices.empty() ? conductor::Catalogue{} : conductor::catalogue();
  const std::vector<conductor::Choice> choices =
      conductor::choose_for(catalogue, options.measure.profile, devices.targets.devices,
                            arguments.measure.families, arguments.measure.only);
  const auto held = hold(devices.targets, arguments.measure, progress);
  for (std::size_t i = 0; i < choices.size() && held->refusal().empty(); ++i) {
    report.devices.push_back(conductor::check(options, devices.targets.devices[i], choices[i], devices.gpus));
    for (const std::string& problem : catalogue.problems) report.devices.back().remarks.push_back(problem);
    if (!report.devices.back().rounds.back().complete) break;
  }
  progress.clear();
  report.outcome = conductor::combine(report.devices, report.node);
  if (gpu_missing && report.outcome.code != judge::ExitCode::regressed)
    report.outcome = {judge::ExitCode::cannot_judge,
                      report.devices.empty() ? "cannot judge: no usable GPU, nothing was measured"
                                             : "cannot judge: a GPU was asked for and none is usable; " +
                                                   report.outcome.sentence};
  if (!held->refusal().empty())
    report.outcome = {
        judge::ExitCode::cannot_judge,
        fmt::format("cannot judge: {}; nothing was measured; --wait SECONDS waits for it", held->refusal())};
  const int code = write_reports(&report, arguments.report,
                                 report::draw(report, report::terminal(1), {arguments.report.every_metric}),
                                 static_cast<int>(report.outcome.code));
  if (!arguments.observation.empty() && !report.devices.empty())
    result::write_file(arguments.observation, diagnose::to_json(*report.devices.front().observation));
  return code;
}

}  // namespace

void add_check(CLI::App& app, const Invocation& invocation, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Measure a device and judge it");
  auto arguments = std::make_shared<Arguments>();
  add_measure_options(*command, arguments->measure);
  add_report_options(*command, arguments->report);
  add_every_metric_option(*command, arguments->report);
  add_policy_options(*command, arguments->policy);
  command
      ->add_option(
          "-b,--baseline", arguments->baseline,
          "Baseline, by name or folder (default: this node's own, then one of this site, then a shipped one)")
      ->type_name("NAME");
  command
      ->add_option("--observation", arguments->observation,
                   "Also write what was seen, for `gpugauge diagnose` (docs/observation.md)")
      ->type_name("FILE");
  command->add_flag("--strict", arguments->strict, "End with 4 when a metric stays inconclusive or unstable");
  command->add_option("--budget", arguments->budget, "Begin no further round after this many seconds")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  command->callback([command, arguments, &invocation, &action] {
    arguments->measure.seed_given = command->count("--seed") > 0;
    action = [arguments, &invocation] { return check(*arguments, invocation); };
  });
}

}  // namespace gpugauge::cli
