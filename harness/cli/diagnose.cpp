// gpugauge diagnose: name the cause in an observation, from this machine or any other.
#include "diagnose/diagnose.hpp"

#include <iostream>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/named_files.hpp"
#include "report/diagnosis.hpp"
#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* diagnose_footer =
    "Examples:\n"
    "  gpugauge diagnose seen.json              name the cause, show why, and what to type next; `check "
    "--observation seen.json` writes such a file\n"
    "  gpugauge diagnose - --json <seen.json    for a program\n"
    "  gpugauge check --device 0 --observation seen.json; gpugauge diagnose seen.json\n"
    "  gpugauge diagnose report.json --known ours.json    compare with this site's own reports, too\n"
    "\n"
    "Exit codes: 0 nothing is wrong; 1 at least one finding; 2 the file cannot be read or is no observation; "
    "3 something is wrong, and no cause can be named, or nothing was compared.";

/// An observation is small; a limit keeps a stray pipe from filling the memory.
constexpr std::size_t most_bytes = std::size_t{64} << 20;

struct DiagnoseArguments {
  std::string file;
  std::string known;
  ReportArguments report;
};

/// The reports that were compiled in, and the site's own in `file` ("" for none); throws as parse_known_reports does.
std::vector<diagnose::KnownReport> reports_with(const std::string& file) {
  std::vector<diagnose::KnownReport> out = diagnose::known_reports();
  if (file.empty()) return out;
  for (diagnose::KnownReport& one : diagnose::parse_known_reports(result::read_file(file, most_bytes), file))
    out.push_back(std::move(one));
  return out;
}

std::string read_standard_input() {
  std::string text;
  char buffer[1 << 16];
  while (std::cin.read(buffer, sizeof buffer) || std::cin.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > most_bytes)
      throw result::FileError("standard input: more than 64 MiB, which is no observation");
  }
  return text;
}

int run(const DiagnoseArguments& arguments) {
  check_report_arguments(arguments.report);
  const bool standard_input = arguments.file == "-";
  const std::string origin = standard_input ? "standard input" : arguments.file;
  const std::string text =
      standard_input ? read_standard_input() : result::read_file(arguments.file, most_bytes);
  report::DiagnosisReport made;
  try {
    made.observation = diagnose::parse_observation(text, origin);
  } catch (const result::FormatError& error) {
    throw result::FormatError(fmt::format("{}; see docs/observation.md", error.what()));
  }
  const diagnose::ReportIndex known(reports_with(arguments.known));
  made.diagnosis = diagnose::is_told(made.observation) ? diagnose::diagnose(made.observation, known)
                                                       : diagnose::diagnose(made.observation);
  return write_reports(&made, arguments.report,
                       report::draw(made.diagnosis, report::terminal(1), made.observation.about.source),
                       report::exit_code(made.diagnosis));
}

}  // namespace

void add_diagnose(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command =
      app.add_subcommand("diagnose", "Name the cause in an observation file, and show the evidence");
  command->footer(diagnose_footer);
  auto arguments = std::make_shared<DiagnoseArguments>();
  reads(command
            ->add_option("file", arguments->file,
                         "Observation file (docs/observation.md); - for standard input")
            ->required(),
        "FILE");
  reads(command->add_option("--known", arguments->known,
                            "This site's own reports whose cause is known, to compare with, too "
                            "(docs/schema/known-reports.schema.json)"),
        "FILE");
  add_report_options(*command, arguments->report);
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gpugauge::cli
