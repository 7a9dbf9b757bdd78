// gpugauge compare: judge rounds that were measured before, anywhere.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "result/error.hpp"
#include "result/run_file.hpp"

namespace gpugauge::cli {
namespace {

struct Arguments {
  std::vector<std::string> runs;
  std::vector<std::string> against;
  std::string baseline;
  std::string state_directory;
  ReportArguments report;
  bool strict = false;
};

std::vector<result::Run> read(const std::vector<std::string>& files) {
  std::vector<result::Run> runs;
  runs.reserve(files.size());
  for (const std::string& file : files) runs.push_back(result::read_run(file));
  return runs;
}

/// Run files given by name stand for a baseline that was never pinned.
baseline::Selection loose(const std::vector<std::string>& files) {
  baseline::Baseline made;
  made.runs = read(files);
  made.manifest.name = "given run files";
  made.manifest.profile = made.runs.front().profile;
  made.manifest.device = made.runs.front().device;
  for (std::size_t i = 0; i < files.size(); ++i)
    made.manifest.entries.push_back(
        {files[i], "", made.runs[i].id, made.runs[i].boot_id, made.runs[i].started});
  for (const result::Run& run : made.runs)
    for (const baseline::Mismatch& field :
         baseline::mismatches(run.fingerprint, made.runs.front().fingerprint))
      throw result::UsageError(fmt::format(
          "the runs given with --against are not of one kind: {} is '{}' in one and '{}' in another",
          field.field, field.now, field.then));
  return {std::move(made),
          fmt::format("Compared with {} given run {}.", files.size(), files.size() == 1 ? "file" : "files"),
          {}};
}

int compare(const Arguments& arguments) {
  check_report_arguments(arguments.report);
  std::vector<result::Run> rounds = read(arguments.runs);
  std::sort(rounds.begin(), rounds.end(), [](const result::Run& a, const result::Run& b) {
    return std::pair(a.round, a.id) < std::pair(b.round, b.id);
  });
  for (const result::Run& round : rounds) {
    if (round.device != rounds.front().device)
      throw result::UsageError(fmt::format("the runs are of two devices ({} and {}); compare one at a time",
                                           rounds.front().device, round.device));
    for (const baseline::Mismatch& field :
         baseline::mismatches(round.fingerprint, rounds.front().fingerprint))
      throw result::UsageError(
          fmt::format("the runs are not rounds of one check: {} is '{}' in one and '{}' in another",
                      field.field, field.now, field.then));
  }
  if (arguments.against.empty() && arguments.baseline.empty()) state_directory(arguments.state_directory);
  const baseline::Selection selection =
      arguments.against.empty()
          ? baseline::select(arguments.baseline, rounds.front().fingerprint, rounds.front().device)
          : loose(arguments.against);
  report::Report report;
  report.devices.push_back(conductor::judge_rounds(rounds, selection, {}, arguments.strict));
  report::DeviceReport& device = report.devices.front();
  device.selection = rounds.front().device;
  device.label = fmt::format("{}, measured {}", device.selection, rounds.front().started);
  for (const result::Run& round : rounds) device.seconds += round.wall_seconds;
  report.outcome = device.outcome;
  write_report(report, arguments.report);
  return static_cast<int>(report.outcome.code);
}

}  // namespace

void add_compare(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command = app.add_subcommand("compare", "Judge run files against a baseline or other run files");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("runs", arguments->runs, "Run files: the rounds of one check of one device")
      ->required()
      ->type_name("RUN");
  command->add_option("--against", arguments->against, "Run files to compare with")
      ->type_name("RUN")
      ->excludes(command
                     ->add_option("-b,--baseline", arguments->baseline,
                                  "Baseline folder (default: the one of the same kind in the state "
                                  "directory, then a shipped one)")
                     ->type_name("DIR"));
  command->add_option("--state-dir", arguments->state_directory, "Where baselines are kept")
      ->type_name("DIR");
  command->add_flag("--strict", arguments->strict, "End with 4 when a metric stays inconclusive or unstable");
  add_report_options(*command, arguments->report);
  command->callback([arguments, &action] { action = [arguments] { return compare(*arguments); }; });
}

}  // namespace gpugauge::cli
