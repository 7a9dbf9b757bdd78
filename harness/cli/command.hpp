// What every subcommand shares. One file a subcommand; each adds itself to the command line here.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "conductor/conductor.hpp"
#include "report/reporter.hpp"

namespace gpugauge::cli {

/// The arguments as given, for the record in run files.
struct Invocation {
  std::vector<std::string> arguments;
};

/// A subcommand, ready to run once the command line is parsed; returns the exit code.
using Action = std::function<int()>;

/// Each adds one subcommand to `app` and stores what it does in `action` when it was chosen.
void add_list(CLI::App& app, const Invocation& invocation, Action& action);
void add_run(CLI::App& app, const Invocation& invocation, Action& action);
void add_compare(CLI::App& app, const Invocation& invocation, Action& action);
void add_check(CLI::App& app, const Invocation& invocation, Action& action);
void add_baseline(CLI::App& app, const Invocation& invocation, Action& action);
void add_doctor(CLI::App& app, const Invocation& invocation, Action& action);
void add_selftest(CLI::App& app, const Invocation& invocation, Action& action);
void add_fleet(CLI::App& app, const Invocation& invocation, Action& action);
void add_diagnose(CLI::App& app, const Invocation& invocation, Action& action);
void add_explain(CLI::App& app, const Invocation& invocation, Action& action);
void add_frameworks(CLI::App& app, const Invocation& invocation, Action& action);
void add_codegen(CLI::App& app, const Invocation& invocation, Action& action);
void add_history(CLI::App& app, const Invocation& invocation, Action& action);
void add_upgrade(CLI::App& app, const Invocation& invocation, Action& action);
void add_probe(CLI::App& app, const Invocation& invocation, Action& action);

/// Options of every command that measures.
struct MeasureArguments {
  std::string device = "all";
  std::string profile = "standard";
  std::vector<std::string> families;
  std::vector<std::string> only;
  std::uint64_t seed = 0;
  bool seed_given = false;
  std::string state_directory;
  bool quiet = false;
};
void add_measure_options(CLI::App& command, MeasureArguments& arguments);

/// The devices that --device names, and what is known of the GPUs. When a GPU is wanted and none is usable,
/// `explanation` says why.
struct Devices {
  stack::GpuReport gpus;
  conductor::Targets targets;
};
Devices find_devices(const std::string& device);

/// Turns arguments into options; the progress line goes to standard error.
conductor::MeasureOptions measure_options(const MeasureArguments& arguments, const Invocation& invocation,
                                          report::ProgressLine& progress);

/// --state-dir, or baseline::state_directory(). A given one counts from then on for the whole command.
std::filesystem::path state_directory(const std::string& given);

/// Writes to standard output. Throws result::FileError when it is closed or full.
void print(const std::string& text);

/// What a site decided, for every command that judges.
struct PolicyArguments {
  std::string file;
  std::vector<std::string> treatment;
};
void add_policy_options(CLI::App& command, PolicyArguments& arguments);
/// The policy file, or the defaults, with the treatments of the command line added. Throws
/// result::UsageError, result::FormatError or result::FileError.
judge::Policy policy(const PolicyArguments& arguments);
/// The ids of every benchmark that the families beside the command describe. Throws like
/// conductor::catalogue.
std::vector<std::string> known_benchmarks();

/// Where a result is written: the console, and every KIND=FILE of --report.
struct ReportArguments {
  std::vector<std::string> files;  ///< "junit=FILE"; - is standard output
  bool json = false;               ///< JSON on standard output instead of the table
  bool every_metric = false;
};
/// --report and --json; report_options.cpp says what they take.
void add_report_options(CLI::App& command, ReportArguments& arguments);
/// --every-metric, of those whose table has metrics.
void add_every_metric_option(CLI::App& command, ReportArguments& arguments);
/// Throws result::UsageError for a kind that does not exist, a file named twice, or two that want standard
/// output. Call before measuring, so that nothing is lost.
void check_report_arguments(const ReportArguments& arguments);
/// Prints the table, or what takes its place, and writes every report. One that cannot be written is said in
/// one sentence on standard error and makes the exit code 2; the others and the verdict are there all the
/// same. Otherwise returns `exit_code`.
int write_reports(const report::Subject& subject, const ReportArguments& arguments, const std::string& table,
                  int exit_code);

}  // namespace gpugauge::cli
