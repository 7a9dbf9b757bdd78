// gpugauge run: measure and store, without a judgement.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/named_files.hpp"
#include "cli/ranks.hpp"
#include "cli/together.hpp"
#include "conductor/place.hpp"
#include "report/console.hpp"
#include "report/format.hpp"
#include "result/error.hpp"
#include "result/launcher.hpp"
#include "result/run_file.hpp"
#include "run/output_lock.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* run_footer =
    "Examples:\n"
    "  gpugauge run --output runs/                  one round of every GPU, each a file of its own in runs/<host>/\n"
    "  gpugauge run --device 0 --output before.json one of GPU 0\n"
    "  gpugauge run --device 0 --only 'memory/*' --json  what matches, for a program\n"
    "\n"
    "Exit codes: 0 measured; 1 a benchmark failed; 2 usage or tool error; 3 something could not be measured.";

struct RunArguments {
  MeasureArguments measure;
  std::string output;
  bool force = false;  ///< replaces the file of --output
  bool json = false;
  bool every_metric = false;
  bool devices_together = false;
  int together = 0;                    ///< set by the command that starts one for each device
  int round = 1;                       ///< the same
  std::vector<std::string> libraries;  ///< the same: facts of its first round, FACT=VALUE
};

/// The same command for one of the devices, told that it is one of several.
std::vector<std::string> command_of(const RunArguments& arguments, const conductor::Target& target,
                                    std::size_t count, std::uint64_t seed) {
  std::vector<std::string> words = together_words(arguments.measure, target, count, seed);
  for (const std::string& word : arguments.measure.only) words.insert(words.end(), {"--only", word});
  if (!arguments.output.empty()) words.insert(words.end(), {"--output", arguments.output});
  if (arguments.every_metric) words.emplace_back("--every-metric");
  return words;
}

/// The one file that --output names; in a folder every round has a name of its own.
std::vector<std::filesystem::path> output_files(const RunArguments& arguments) {
  if (arguments.output.empty() || conductor::names_a_folder(arguments.output)) return {};
  return {conductor::place_of_round({}, {}, arguments.output, result::host_word(),
                                    result::find_rank_of_several())};
}

/// An earlier measurement is not lost to a name that was given twice.
void refuse_existing(const RunArguments& arguments) {
  std::error_code error;
  for (const std::filesystem::path& file : output_files(arguments))
    if (!arguments.force && std::filesystem::is_regular_file(file, error))
      throw result::UsageError(
          fmt::format("{} exists, and nothing was measured: choose another --output, or say --force to "
                      "replace the file",
                      file.string()));
}

/// Refuses an --output that cannot hold the runs of several devices.
void refuse_one_file(const RunArguments& arguments, std::size_t devices) {
  if (arguments.output.empty() || conductor::names_a_folder(arguments.output)) return;
  throw result::UsageError(
      fmt::format("--output names one file and {} devices are chosen; name one with --device, give a folder "
                  "(ending with /), or leave --output out",
                  devices));
}

/// Measures all chosen GPUs at the same time. All commands get one seed: the same family is measured on every
/// GPU at about the same time.
int run_all_together(const RunArguments& arguments, const conductor::MeasureOptions& options,
                     const Devices& devices, report::ProgressLine& progress) {
  const std::vector<conductor::Target> targets = gpus_together(devices, arguments.measure);
  refuse_one_file(arguments, targets.size());
  if (arguments.json)
    throw result::UsageError(
        "--json prints one run file and --devices-together measures several: take the "
        "files that are named at the end");
  const conductor::Catalogue catalogue = conductor::catalogue();
  const conductor::Choice choice = conductor::choose(catalogue, options.profile, conductor::DeviceKind::gpu,
                                                     arguments.measure.families, arguments.measure.only);
  conductor::require_sustained(catalogue, options.profile, {conductor::Chosen{targets.front(), choice}});
  const auto held = hold(targets, arguments.measure, progress);
  if (!held->refusal().empty()) return busy(*held);
  std::vector<conductor::DeviceCommand> commands;
  commands.reserve(targets.size());
  for (const conductor::Target& target : targets)
    commands.push_back({target.label, command_of(arguments, target, targets.size(), options.seed)});
  const std::vector<conductor::DeviceEnd> ends =
      conductor::run_together(commands, choice.round_seconds, options.progress);
  progress.clear();
  auto code = judge::ExitCode::pass;
  // Where each had ended already, none of them tells.
  const bool told = std::any_of(ends.begin(), ends.end(),
                                [](const conductor::DeviceEnd& end) { return !end.fault.empty(); });
  if (const std::string& signal = ends.front().stopped_by; !signal.empty() && !told)
    warn(fmt::format("stopped by {} when all was measured", signal));
  for (const conductor::DeviceEnd& end : ends) {
    print(end.output);
    if (!end.fault.empty()) warn(fmt::format("{}: {}", end.device, end.fault));
    if (const auto one = static_cast<judge::ExitCode>(end.exit_code); judge::graver(one, code)) code = one;
  }
  return static_cast<int>(code);
}

/// A result, right or wrong, is something to judge, also in a process that failed.
bool tells(const result::Process& process) {
  if (!process.samples) return false;
  const auto& all = process.samples->benchmarks;
  return std::any_of(all.begin(), all.end(), [](const result::BenchmarkResult& one) {
    return one.status == result::Status::ok || one.status == result::Status::failed;
  });
}

/// The exit code of one round. What failed is graver than what could not be judged.
judge::ExitCode code_of(const result::Run& run) {
  bool failed = false, measured = false, unavailable = false;
  for (const result::Process& process : run.processes) {
    failed = failed || process.status == result::Status::failed;
    unavailable = unavailable || process.status == result::Status::unavailable;
    measured = measured || (process.samples && process.status == result::Status::ok) || tells(process);
  }
  if (run.complete && measured && failed) return judge::ExitCode::regressed;
  return run.complete && measured && !unavailable ? judge::ExitCode::pass : judge::ExitCode::cannot_judge;
}

/// Measures the chosen devices one after another, prints each, and keeps its run file.
int run_in_turn(const RunArguments& arguments, const conductor::MeasureOptions& options,
                const stack::GpuReport& gpus, const std::vector<conductor::Chosen>& chosen,
                report::ProgressLine& progress) {
  auto code = judge::ExitCode::pass;
  const auto take = [&](judge::ExitCode one) {
    if (one == judge::ExitCode::regressed || code == judge::ExitCode::pass) code = one;
  };
  Beside beside;
  bool after_another = false;
  std::string stopped_by;
  for (const auto& [target, choice] : chosen) {
    if (!stopped_by.empty()) {
      warn(fmt::format("{}: not measured: {} asked to stop before", target.label, stopped_by));
      continue;
    }
    conductor::Stored stored;
    try {
      stored = conductor::measure(options, target, choice, gpus, arguments.round, {}, arguments.output);
    } catch (const std::exception& error) {
      if (!after_another) throw;
      progress.clear();
      beside.add(fmt::format("{}: {}", target.label, error.what()));
      continue;
    }
    after_another = true;
    progress.clear();
    print(arguments.json ? result::to_json(stored.run)
                         : report::draw(stored.run, report::terminal(1), {arguments.every_metric}));
    // Measured and shown it is; the other devices are measured all the same.
    if (!stored.not_kept.empty())
      beside.add(stored.not_kept);
    else if (!arguments.json)
      print(fmt::format("  kept as {}\n", report::plain(stored.file.string())));
    take(code_of(stored.run));
    stopped_by = stored.stopped_by;
    if (stopped_by.empty() || !stored.run.complete) continue;
    const bool all = &target == &chosen.back().target;
    warn(fmt::format("stopped by {} when {} was whole", stopped_by,
                     all ? "the measurement" : "the round of " + target.label));
    if (!all) take(judge::ExitCode::cannot_judge);
  }
  return beside.end(static_cast<int>(code));
}

int run_devices(const RunArguments& arguments, const Invocation& invocation) {
  refuse_existing(arguments);
  report::ProgressLine progress(report::terminal(2), arguments.measure.quiet);
  conductor::MeasureOptions options = measure_options(arguments.measure, invocation, progress);
  options.libraries = facts_of(arguments.libraries);
  if (arguments.together > 0)
    options.together = arguments.together;
  else
    say_turns(arguments.measure.device);
  const Devices devices = find_devices(arguments.measure.device);
  if (devices.targets.gpu_wanted && devices.gpus.state != stack::GpuState::usable) {
    warn(fmt::format("no usable GPU: {}", devices.gpus.explanation));
    return static_cast<int>(judge::ExitCode::cannot_judge);
  }
  if (arguments.devices_together) return run_all_together(arguments, options, devices, progress);
  const conductor::Catalogue catalogue = conductor::catalogue();
  for (const conductor::SilentFamily& family : catalogue.silent) warn(sentence(family));
  const std::vector<conductor::Chosen> chosen =
      conductor::choose_for(catalogue, options.profile, devices.targets.devices, arguments.measure.families,
                            arguments.measure.only);
  conductor::require_sustained(catalogue, options.profile, chosen);
  if (chosen.size() > 1) {
    refuse_one_file(arguments, chosen.size());
    if (arguments.json)
      throw result::UsageError(fmt::format(
          "--json prints one run file and {} devices are chosen: name one with --device, or take the files "
          "that are named at the end",
          chosen.size()));
  }
  std::unique_ptr<run::DeviceLocks> held;
  if (arguments.together == 0) {  // otherwise the command that started this one holds it
    held = hold(targets_of(chosen), arguments.measure, progress);
    if (!held->refusal().empty()) return busy(*held);
  }
  const run::OutputLocks output(output_files(arguments), "gpugauge run");
  return run_in_turn(arguments, options, devices.gpus, chosen, progress);
}

}  // namespace

void add_run(CLI::App& app, const Invocation& invocation, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Measure a device and store one round as a run file");
  command->footer(run_footer);
  auto arguments = std::make_shared<RunArguments>();
  add_measure_options(*command, arguments->measure);
  add_sustained_option(*command, arguments->measure.sustained_seconds);
  writes(command->add_option(
             "-o,--output", arguments->output,
             "The run file, or a folder: there <host>/<id>.json (default: runs/<id>.json in the state "
             "directory). Of several ranks of a launcher each adds its number, and its host, to the name"),
         "FILE|FOLDER");
  command->add_flag("--force", arguments->force, "Replace the run file that --output names");
  command->add_flag("--json", arguments->json,
                    "The run file's content on standard output instead of the table; of one device");
  command->add_flag("--every-metric", arguments->every_metric,
                    "One row per metric instead of one per benchmark");
  add_together_option(*command, arguments->devices_together);
  command->add_option("--together", arguments->together)->group("")->check(CLI::Range(2, 1024));
  command->add_option("--round", arguments->round)->group("")->check(CLI::Range(1, 1000));
  command->add_option("--library", arguments->libraries)->group("")->allow_extra_args(false);
  command->callback([command, arguments, &invocation, &action] {
    arguments->measure.seed_given = command->count("--seed") > 0;
    action = [arguments, &invocation] { return run_devices(*arguments, invocation); };
  });
}

}  // namespace gpugauge::cli
