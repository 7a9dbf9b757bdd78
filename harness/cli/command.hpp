// What every subcommand shares. One file a subcommand; each adds itself to the command line here.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/named_files.hpp"
#include "conductor/conductor.hpp"
#include "judge/exit_style.hpp"
#include "report/reporter.hpp"
#include "run/device_lock.hpp"

namespace gpugauge::cli {

/// The arguments as given, without passwords in them, for the record in run files.
struct Invocation {
  std::vector<std::string> arguments;  ///< the command's own name first
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
void add_status(CLI::App& app, const Invocation& invocation, Action& action);
void add_fleet(CLI::App& app, const Invocation& invocation, Action& action);
void add_diagnose(CLI::App& app, const Invocation& invocation, Action& action);
void add_explain(CLI::App& app, const Invocation& invocation, Action& action);
void add_frameworks(CLI::App& app, const Invocation& invocation, Action& action);
void add_codegen(CLI::App& app, const Invocation& invocation, Action& action);
void add_history(CLI::App& app, const Invocation& invocation, Action& action);
void add_completion(CLI::App& app, const Invocation& invocation, Action& action);
void add_manual(CLI::App& app, const Invocation& invocation, Action& action);
void add_upgrade(CLI::App& app, const Invocation& invocation, Action& action);
void add_probe(CLI::App& app, const Invocation& invocation, Action& action);

/// Options of every command that measures.
struct MeasureArguments {
  std::string device = "all";         ///< all, links, host, rank, an index or a UUID; several with commas
  std::string profile = "standard";   ///< a name of run::profiles()
  std::vector<std::string> families;  ///< only these; empty = every family
  std::vector<std::string> only;      ///< classes, families or patterns of ids; empty = all
  std::uint64_t seed = 0;             ///< of the random order; counts when it was given
  bool seed_given = false;            ///< otherwise a new one is drawn, and recorded
  std::string state_directory;        ///< --state-dir; empty = baseline::state_directory()
  bool quiet = false;                 ///< no progress line
  double process_limit = 0;           ///< seconds; 0: that of the profile
  double sustained_seconds = 0;       ///< of a benchmark of sustained load; 0: as long as the profile says
  double wait_seconds = 0;            ///< for a device that another command measures
};
/// Adds them all; what is not given keeps its default.
void add_measure_options(CLI::App& command, MeasureArguments& arguments);

/// --sustained, of the commands that measure one state of a machine and of the one that estimates it.
void add_sustained_option(CLI::App& command, double& seconds);

/// Refuses "nan" and "inf", which CLI11's own check of a range lets pass. Says nothing in the help.
CLI::Validator finite();
/// A whole number from 0 on that 64 bits hold; CLI11 itself takes others for the largest one.
CLI::Validator whole_number();
/// A finite number above 0, or not below it.
CLI::Validator above_zero();
CLI::Validator not_below_zero();

/// Undoes what a parent may have handed down: signals that it blocked are heard, and the end of a child is
/// told. What it ignores otherwise stays ignored. Before the first thread.
void hear_signals();

/// SIGINT, SIGTERM and SIGHUP end the command as they end any other, and its children with it.
void end_children_with_the_command();

/// From here on SIGINT, SIGTERM and SIGHUP end the command with a sentence and 3, whatever it waits for; a
/// run that is under way takes them over meanwhile.
void stop_with_a_sentence();
/// And with this exit status instead of 3: what 3 is called in the style that was asked for.
void stop_with_status(int exit_status);

/// The devices that --device names, and what is known of the GPUs. When a GPU is wanted and none is usable,
/// `explanation` says why.
struct Devices {
  stack::GpuReport gpus;       ///< not probed when only the host is named
  conductor::Targets targets;  ///< those that will be measured
};
/// Starts no GPU where only the host is named. Throws like conductor::select_targets and chosen_device.
Devices find_devices(const std::string& device);
/// The same of GPUs that the caller has looked for.
Devices find_devices(const std::string& device, stack::GpuReport gpus);

/// Turns arguments into options; the progress line goes to standard error.
conductor::MeasureOptions measure_options(const MeasureArguments& arguments, const Invocation& invocation,
                                          report::ProgressLine& progress);

/// Holds the devices for this command, or says in refusal() who does; waits as --wait says, and without end
/// where the ranks of a node take turns.
std::unique_ptr<run::DeviceLocks> hold(const std::vector<conductor::Target>& targets,
                                       const MeasureArguments& arguments, report::ProgressLine& progress);
/// Says who holds a device; returns the exit code.
int busy(const run::DeviceLocks& held);

/// --state-dir, or baseline::state_directory(). A given one counts from then on for the whole command.
std::filesystem::path state_directory(const std::string& given);

/// "gpugauge: SENTENCE" on standard error, every line of it without control characters. A standard error that
/// is closed or full is nothing that anybody could be told: the sentence is lost, the exit code stays.
void warn(std::string_view sentence);

/// Writes to standard output. Throws result::FileError when it is closed or full; a reader that went away
/// (`| head`) has seen what it wanted.
void print(const std::string& text);

/// --exit-style, of every command that ends with a verdict. The end of the program (main.cpp) looks it up and
/// turns every code by it, that of an error too.
inline constexpr const char* exit_style_option = "--exit-style";
/// Refuses a word that names no style.
void add_exit_style_option(CLI::App& command);
/// What `app`, or the command below it that was chosen, was given; ExitStyle::ci where none was.
judge::ExitStyle exit_style_of(const CLI::App& app);

/// What a site decided, for every command that judges.
struct PolicyArguments {
  std::string file;                    ///< --policy; empty = the defaults
  std::vector<std::string> treatment;  ///< fields of the fingerprint that may differ
};
/// --policy alone, for a command that compares no fingerprints.
void add_policy_file_option(CLI::App& command, PolicyArguments& arguments);
/// --policy and --treatment; `other` is what the measurements are held against, for the help.
void add_policy_options(CLI::App& command, PolicyArguments& arguments,
                        std::string_view other = "the baseline");
/// The policy file, or the defaults, with the treatments of the command line added. Throws
/// result::UsageError, result::FormatError or result::FileError.
judge::Policy policy(const PolicyArguments& arguments);
/// Adds the earlier values of a device's metrics to its report.
using TakeTrends = std::function<void(report::DeviceReport&)>;
/// From the history at that location, opened now, by the tolerances of the policy. One of an older version is said and adds nothing (empty).
/// Throws like store::Store::open otherwise.
TakeTrends trends_from(const std::string& location, const judge::Policy& policy);

/// One --report of a command, taken apart.
struct ReportFile {
  std::string word;  ///< as it was given: "junit=out.xml"
  std::string kind;  ///< "junit"
  std::string file;  ///< "out.xml"; "-" is standard output where the command takes that

  /// What a problem with it begins with.
  std::string label() const { return "--report " + word + ": "; }
};
/// Throws result::UsageError for a kind that is none of `kinds`, and for a word without a file.
ReportFile report_of(const std::string& word, const std::vector<std::string_view>& kinds,
                     Dash dash = Dash::refused);
/// The same of every word.
std::vector<ReportFile> reports_of(const std::vector<std::string>& words,
                                   const std::vector<std::string_view>& kinds);

/// Where a result is written: the console, and every KIND=FILE of --report.
struct ReportArguments {
  std::vector<std::string> files;  ///< "junit=FILE"; - is standard output
  bool json = false;               ///< JSON on standard output instead of the table
  bool every_metric = false;       ///< one row a metric in the table
};
/// --report and --json; report_options.cpp says what they take.
void add_report_options(CLI::App& command, ReportArguments& arguments);
/// --every-metric, of those whose table has metrics.
void add_every_metric_option(CLI::App& command, ReportArguments& arguments);
/// Throws result::UsageError for a kind that does not exist, or two that want standard
/// output. Call before measuring, so that nothing is lost.
void check_report_arguments(const ReportArguments& arguments);
/// The files that --report names, without standard output. Throws result::UsageError like
/// check_report_arguments.
std::vector<std::filesystem::path> report_files(const ReportArguments& arguments);
/// What went wrong beside what a command found: files that could not be written.
class Beside {
 public:
  /// One sentence, without its full stop.
  void add(std::string problem) { _problems.push_back(std::move(problem)); }
  /// Takes a step; what it throws is added behind `what`, and keeps nothing else back.
  template <typename Step>
  void attempt(const std::string& what, const Step& step) {
    try {
      step();
    } catch (const std::exception& error) {
      add(what + error.what());
    }
  }
  bool any() const { return !_problems.empty(); }  ///< Something went wrong.
  /// Says each on standard error, a line each, the last with what becomes of `exit_code`, and returns the
  /// exit code of all: `exit_code` where nothing went wrong; otherwise 2, but for a 1, which stays. What was
  /// shown against a device stays shown, since Slurm takes a tool's error for no reason to drain a node.
  [[nodiscard]] int end(int exit_code) const;

 private:
  std::vector<std::string> _problems;
};
/// Prints the table, or what takes its place, and writes every report. One that cannot be written is added to
/// `beside`; the others are there all the same.
void write_reports(const report::Subject& subject, const ReportArguments& arguments, const std::string& table,
                   Beside& beside);
/// The two halves of it, for whoever has something to do between them: what stands on standard output, and
/// the files.
void show_report(const report::Subject& subject, const ReportArguments& arguments, const std::string& table,
                 Beside& beside);
void write_report_files(const report::Subject& subject, const ReportArguments& arguments, Beside& beside);
/// Likewise, and ends as Beside::end says.
int write_reports(const report::Subject& subject, const ReportArguments& arguments, const std::string& table,
                  int exit_code);
/// print() of a command that ends with a verdict and takes no --report. Ends as Beside::end says where the
/// text could not be written.
[[nodiscard]] int print_verdict(const std::string& text, int exit_code);

}  // namespace gpugauge::cli
