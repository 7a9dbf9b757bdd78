// gpugauge run: measure and store, without a judgement.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "report/console.hpp"
#include "result/error.hpp"
#include "result/run_file.hpp"

namespace gpugauge::cli {
namespace {

struct Arguments {
  MeasureArguments measure;
  std::string output;
  bool json = false;
  bool every_metric = false;
};

int run_devices(const Arguments& arguments, const Invocation& invocation) {
  report::ProgressLine progress(report::terminal(2), arguments.measure.quiet);
  const conductor::MeasureOptions options = measure_options(arguments.measure, invocation, progress);
  const Devices devices = find_devices(arguments.measure.device);
  if (devices.targets.gpu_wanted && devices.gpus.state != stack::GpuState::usable) {
    fmt::print(stderr, "gpugauge: no usable GPU: {}\n", devices.gpus.explanation);
    return static_cast<int>(judge::ExitCode::cannot_judge);
  }
  if (!arguments.output.empty() && devices.targets.devices.size() > 1)
    throw result::UsageError(
        fmt::format("--output names one file and {} devices are chosen; name one with --device, or leave "
                    "--output out",
                    devices.targets.devices.size()));
  const conductor::Catalogue catalogue = conductor::catalogue();
  auto code = judge::ExitCode::pass;
  for (const conductor::Target& target : devices.targets.devices) {
    const conductor::Choice choice = conductor::choose(catalogue, options.profile, target.gpu,
                                                       arguments.measure.families, arguments.measure.only);
    const conductor::Stored stored =
        conductor::measure(options, target, choice, devices.gpus, 1, {}, arguments.output);
    progress.clear();
    print(arguments.json ? result::to_json(stored.run)
                         : report::draw(stored.run, report::terminal(1), {arguments.every_metric}));
    if (!arguments.json) print(fmt::format("  kept as {}\n", stored.file.string()));
    bool failed = false;
    bool measured = false;
    for (const result::Process& process : stored.run.processes) {
      failed = failed || process.status == result::Status::failed;
      measured = measured || (process.samples && process.status == result::Status::ok);
    }
    if (!stored.run.complete || !measured)
      code = judge::ExitCode::cannot_judge;
    else if (failed && code == judge::ExitCode::pass)
      code = judge::ExitCode::regressed;
    if (!stored.run.complete) break;
  }
  return static_cast<int>(code);
}

}  // namespace

void add_run(CLI::App& app, const Invocation& invocation, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Measure a device and store one round as a run file");
  auto arguments = std::make_shared<Arguments>();
  add_measure_options(*command, arguments->measure);
  command
      ->add_option("-o,--output", arguments->output,
                   "The run file (default: runs/<id>.json in the state directory)")
      ->type_name("FILE");
  command->add_flag("--json", arguments->json,
                    "The run file's content on standard output instead of the table");
  command->add_flag("--every-metric", arguments->every_metric,
                    "One row per metric instead of one per benchmark");
  command->callback([command, arguments, &invocation, &action] {
    arguments->measure.seed_given = command->count("--seed") > 0;
    action = [arguments, &invocation] { return run_devices(*arguments, invocation); };
  });
}

}  // namespace gpugauge::cli
