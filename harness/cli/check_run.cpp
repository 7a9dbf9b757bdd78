#include <algorithm>
#include <future>
#include <map>

#include <fmt/format.h>

#include "cli/check.hpp"
#include "cli/doctor.hpp"
#include "cli/named_files.hpp"
#include "cli/ranks.hpp"
#include "cli/together.hpp"
#include "conductor/host_figures.hpp"
#include "conductor/host_identity.hpp"
#include "conductor/known_treatment.hpp"
#include "conductor/node_check.hpp"
#include "conductor/node_fingerprint.hpp"
#include "conductor/policy_metrics.hpp"
#include "report/console.hpp"
#include "report/format.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/stops_held_back.hpp"
#include "run/output_lock.hpp"
#include "stack/inventory/node.hpp"

namespace gpugauge::cli {
namespace {

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

/// A history that is not there must not cost a measurement: it is opened before.
TakeTrends trends(const CheckArguments& arguments, const judge::Policy& policy) {
  if (arguments.store.empty()) return {};
  const bool page = std::any_of(arguments.report.files.begin(), arguments.report.files.end(),
                                [](const std::string& word) { return word.starts_with("html="); });
  if (!page)
    throw result::UsageError(
        "--store shows earlier nights on the page of --report html=FILE: give that, too");
  return trends_from(arguments.store, policy);
}

/// One check: what it was asked for, read before anything is measured, and what it found.
class Check {
 public:
  /// Throws for everything that makes the check impossible, before it costs a measurement.
  Check(const CheckArguments& arguments, const Invocation& invocation);
  /// Measures, judges, keeps and reports. Returns the exit code.
  int run();

 private:
  void look_at_node();
  void choose();
  void measure(const std::string& held_by);
  void measure_together();
  void add(report::DeviceReport device);
  void judge_together(const std::string& held_by);
  void write_observation();
  int finish();

  /// Runs what keeps the verdict of `whose`; each that cannot be kept is said at the end.
  template <typename Step>
  void keep(const std::string& whose, const Step& step) {
    try {
      step();
    } catch (const result::FileError& error) {
      _not_kept[whose] = error.what();
    }
  }

  const CheckArguments& _arguments;
  ReportArguments _reports;
  report::ProgressLine _progress;
  std::filesystem::path _state;
  conductor::CheckOptions _options;
  TakeTrends _add_trends;
  judge::KnownBenchmarks _known;

  Devices _devices;
  stack::Inventory _node;  ///< what the doctor sees of it
  bool _only_host = false;
  bool _gpu_missing = false;
  std::optional<diagnose::Observation> _unusable;  ///< what was seen where no GPU is usable
  conductor::Catalogue _catalogue;
  std::vector<conductor::Chosen> _chosen;

  report::Report _report;
  bool _stopped = false;  ///< before the last device
  Beside _beside;
  std::map<std::string, std::string> _not_kept;  ///< why a verdict was not, by whose it is
  std::vector<std::string> _no_trends;           ///< why the page shows none, a device each
};

Check::Check(const CheckArguments& arguments, const Invocation& invocation)
    : _arguments(arguments),
      _reports(own_files(arguments.report)),
      _progress(report::terminal(2), arguments.measure.quiet) {
  check_report_arguments(_reports);
  say_turns(arguments.measure.device);
  _options.measure = measure_options(arguments.measure, invocation, _progress);
  _state = state_directory(arguments.measure.state_directory);
  conductor::refuse_links_in_check(_state);
  if (!arguments.baseline.empty()) _options.baseline = baseline::find(arguments.baseline);
  _options.strict = arguments.strict;
  _options.budget_seconds = arguments.budget;
  _options.monitor_folder = _state / "monitor";
  _options.policy = policy(arguments.policy);
  _add_trends = trends(arguments, _options.policy);
  if (!_options.policy.metrics.empty()) {
    _known = conductor::known_benchmarks(conductor::catalogue());
    judge::require_possible(_options.policy, _known);
  }
  if (!_options.baseline.empty()) baseline::load(_options.baseline);
}

void Check::look_at_node() {
  std::future<stack::Inventory> files = begin_to_read_files();
  _devices = find_devices(_arguments.measure.device);
  if (!_arguments.policy.treatment.empty())
    conductor::require_known_treatment(_arguments.policy.treatment,
                                       conductor::node_fingerprint(_devices.gpus), _options.baseline);
  _node = stack::with_report(files.get(), _devices.gpus);
  _gpu_missing = _devices.targets.gpu_wanted && _devices.gpus.state != stack::GpuState::usable;
  if (_gpu_missing) {
    conductor::NoGpu why = conductor::ask_why_no_gpu(_devices.gpus, _node, today());
    _report.gpu_explanation = _devices.gpus.explanation;
    _report.findings = std::move(why.findings);
    _unusable = std::move(why.observation);
  }
  _options.node = &_node;
  _report.host = conductor::node_name(stack::Tree("/"));
  _report.stack = stack::layers(_node);
  _only_host = conductor::host_only(_arguments.measure.device);
  if (!_only_host)
    _report.node = judge::judge_expectations(_options.policy, conductor::found_on(_devices.gpus, _node));
}

void Check::choose() {
  const MeasureArguments& measure = _arguments.measure;
  if (!_devices.targets.devices.empty()) _catalogue = conductor::catalogue();
  _chosen = _arguments.devices_together && !_gpu_missing
                ? chosen_together(_catalogue, _options.measure.profile, _devices, measure)
                : conductor::choose_for(_catalogue, _options.measure.profile, _devices.targets.devices,
                                        measure.families, measure.only);
  if (!_gpu_missing) conductor::require_sustained(_catalogue, _options.measure.profile, _chosen);
  if (!_arguments.observation.empty() && _chosen.size() > 1)
    throw result::UsageError(fmt::format(
        "--observation holds one device, and {} would be measured; name one with --device", _chosen.size()));
  if (!_arguments.no_probes) _options.probes = &_catalogue;
}

/// Keeps the verdict of each device as soon as it is there.
void Check::add(report::DeviceReport device) {
  conductor::say_what_was_left_out(device, _catalogue.silent,
                                   _only_host && judge::expects_of_node(_options.policy));
  keep(device.label,
       [&] { conductor::keep_and_say(_state, device, narrowed(_arguments.measure), _devices.gpus); });
  try {
    if (_add_trends) _add_trends(device);
  } catch (const std::exception& error) {
    _no_trends.push_back(fmt::format("{}: {}", device.label, error.what()));
  }
  _report.devices.push_back(std::move(device));
}

void Check::measure_together() {
  const std::vector<conductor::Target> targets = targets_of(_chosen);
  const conductor::Choice& choice = _chosen.front().choice;
  for (report::DeviceReport& device : conductor::check_in_step(
           _options, targets, choice, rounds_together(_arguments.measure, _options.measure, targets, choice)))
    add(std::move(device));
}

void Check::measure(const std::string& held_by) {
  if (!held_by.empty() || _chosen.empty()) return;
  if (_arguments.devices_together && !_gpu_missing) return measure_together();
  const bool failed = conductor::combine({}, _report.node).code == judge::ExitCode::regressed;
  const conductor::InTurn through =
      conductor::check_in_turn(_options, _chosen, _devices.gpus, failed,
                               [this](report::DeviceReport device) { add(std::move(device)); });
  _stopped = through.stopped;
  if (!through.error.empty()) _beside.add(through.error);
}

/// What holds for all devices is judged and kept last.
void Check::judge_together(const std::string& held_by) {
  conductor::judge_together(_report, _devices.gpus, _chosen, _options.policy,
                            {_gpu_missing, held_by, _stopped, _chosen.size()});
  if (!_devices.targets.gpu_wanted) return;
  const bool all = conductor::looked_at_all(_report, _devices.gpus, _chosen, narrowed(_arguments.measure));
  keep("Node", [&] { conductor::keep_node_verdict(_state, _report, all); });
}

void Check::write_observation() {
  if (_arguments.observation.empty()) return;
  const std::optional<diagnose::Observation>& seen =
      _report.devices.empty() ? _unusable : _report.devices.front().observation;
  if (!seen) {
    warn(fmt::format("--observation: nothing was measured, so that {} was not written",
                     _arguments.observation));
    return;
  }
  try {
    result::write_file(own_file(_arguments.observation), diagnose::to_json(*seen));
  } catch (const result::FileError& error) {
    _beside.add(fmt::format("--observation: {}", error.what()));
  }
}

int Check::finish() {
  write_reports(&_report, _reports, report::draw(_report, report::terminal(1), {_reports.every_metric}),
                _beside);
  write_observation();
  try {
    if (!_options.policy.metrics.empty() && !_report.devices.empty())
      judge::require_matches(_options.policy, conductor::seen_in(_report.devices), _known);
  } catch (const result::UsageError& error) {
    _beside.add(error.what());
  }
  for (const report::DeviceReport& device : _report.devices) {
    if (!device.broke_off.empty()) _beside.add(fmt::format("{}: {}", device.label, device.broke_off));
    for (const std::string& why : device.not_kept)
      _beside.add(fmt::format("{}: what was measured and judged could not be kept: {}", device.label, why));
  }
  for (const std::string& why : _no_trends) _beside.add(fmt::format("--store: {}", why));
  for (const auto& [whose, why] : _not_kept)
    _beside.add(fmt::format("{}: the verdict could not be kept for `gpugauge status`: {}", whose, why));
  return _beside.end(static_cast<int>(_report.outcome.code));
}

int Check::run() {
  look_at_node();
  choose();
  const auto held = hold(targets_of(_chosen), _arguments.measure, _progress);
  const run::OutputLocks outputs(output_files(_arguments, _reports), "gpugauge check");
  measure(held->refusal());
  _progress.clear();
  // What `status` repeats must be what is printed.
  for (const std::size_t again : conductor::share_host_figures(_report.devices))
    keep(_report.devices[again].label, [&] {
      conductor::keep_verdict(_state, _report.devices[again], narrowed(_arguments.measure), _devices.gpus);
    });
  judge_together(held->refusal());
  return finish();
}

}  // namespace

int check(const CheckArguments& arguments, const Invocation& invocation) {
  return Check(arguments, invocation).run();
}

}  // namespace gpugauge::cli
