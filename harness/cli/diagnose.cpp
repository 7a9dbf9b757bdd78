// gpugauge diagnose: name the cause in an observation, a log or words, from this machine or any other.
#include "diagnose/diagnose.hpp"

#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/diagnose_told.hpp"
#include "cli/named_files.hpp"
#include "report/diagnosis.hpp"
#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* diagnose_footer =
    "Examples:\n"
    "  gpugauge diagnose --log job.log --here   name the cause in a job's log, a traceback, an nvidia-smi -q, with "
    "what is known of this machine\n"
    "  dmesg | gpugauge diagnose --log - --says \"half as fast since the driver upgrade\"\n"
    "  gpugauge diagnose --log job.log --observation seen.json    keep what was read, to add facts to it\n"
    "  gpugauge diagnose seen.json              name the cause, show why, and what to type next; `check "
    "--observation seen.json` writes such a file\n"
    "  gpugauge diagnose - --json <seen.json    for a program\n"
    "  gpugauge check --device 0 --observation seen.json; gpugauge diagnose seen.json\n"
    "  gpugauge diagnose seen.json --known ours.json    compare with this site's own reports, too\n"
    "\n"
    "Exit codes: 0 nothing is wrong; 1 at least one finding; 2 the file cannot be read or is no observation; "
    "3 something is wrong, and no cause can be named, or nothing was compared.";

struct DiagnoseArguments {
  ToldArguments told;
  std::string known;
  std::string observation;
  ReportArguments report;
};

/// The reports that were compiled in, and the site's own in `file` ("" for none); throws as parse_known_reports
/// does.
std::vector<diagnose::KnownReport> reports_with(const std::string& file) {
  std::vector<diagnose::KnownReport> out = diagnose::known_reports();
  if (file.empty()) return out;
  for (diagnose::KnownReport& one : diagnose::parse_known_reports(result::read_file(file), file))
    out.push_back(std::move(one));
  return out;
}

int run(const DiagnoseArguments& arguments) {
  check_report_arguments(arguments.report);
  const diagnose::ReportIndex known(reports_with(arguments.known));
  report::DiagnosisReport made;
  Told told = read_told(arguments.told);
  made.observation = std::move(told.seen);
  if (!arguments.observation.empty())
    result::write_file(arguments.observation, diagnose::to_json(made.observation));
  made.diagnosis =
      told.by_a_person ? diagnose::diagnose(made.observation, known) : diagnose::diagnose(made.observation);
  if (made.diagnosis.state == diagnose::State::nothing_compared && arguments.told.says.empty() &&
      !arguments.told.logs.empty())
    warn("no line tells of a fault; say what is wrong with --says");
  return write_reports(&made, arguments.report,
                       report::draw(made.diagnosis, report::terminal(1), made.observation.about.source),
                       report::exit_code(made.diagnosis));
}

}  // namespace

void add_diagnose(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command = app.add_subcommand(
      "diagnose", "Name the cause in an observation file, a log or words, and show the evidence");
  command->footer(diagnose_footer);
  auto arguments = std::make_shared<DiagnoseArguments>();
  reads(command->add_option("file", arguments->told.file,
                            "Observation file (docs/observation.md); - for standard input"),
        "FILE");
  reads(command
            ->add_option("--log", arguments->told.logs,
                         "A text that tells of it: a job's or the kernel's log, a traceback, what nvidia-smi "
                         "printed; may be repeated; - for standard input")
            ->allow_extra_args(false),
        "FILE");
  command->add_option("--says", arguments->told.says, "What is wrong, in words: \"training is half as fast\"")
      ->type_name("TEXT");
  command->add_flag(
      "--here", arguments->told.here,
      "It happened on this machine: add its driver, libraries, settings, this shell's variables and "
      "the kernel's log; nothing is measured");
  writes(command->add_option("--observation", arguments->observation,
                             "Also write what was told as an observation file, to add facts to it"),
         "FILE");
  reads(command->add_option("--known", arguments->known,
                            "This site's own reports whose cause is known, to compare with, too "
                            "(docs/schema/known-reports.schema.json)"),
        "FILE");
  add_report_options(*command, arguments->report);
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gpugauge::cli
