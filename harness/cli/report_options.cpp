// --report KIND=FILE, of every command that has a result, and how one ends whose result could not be written.
#include <cstdio>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/definition.hpp"
#include "cli/named_files.hpp"
#include "judge/judge.hpp"
#include "report/format.hpp"
#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::cli {
namespace {

namespace fs = std::filesystem;

struct Wanted {
  const report::Reporter* reporter = nullptr;
  std::string file;  ///< "-" for standard output

  bool to_standard_output() const { return file == "-"; }
  /// Takes the place of the table.
  bool instead() const { return to_standard_output() && !reporter->beside_the_table; }
};

/// "junit=FILE" taken apart.
Wanted wanted(const std::string& word) {
  const std::size_t at = word.find('=');
  const std::string kind = word.substr(0, at);
  const report::Reporter* reporter = report::find_reporter(kind);
  if (reporter == nullptr)
    throw result::UsageError(fmt::format("--report {}: there is no kind of report '{}'; there are {}", word,
                                         kind, report::reporter_kinds()));
  if (at == std::string::npos || at + 1 == word.size())
    throw result::UsageError(
        fmt::format("--report {}: give it as KIND=FILE, such as {}=FILE; - is standard output", word, kind));
  return {reporter, word.substr(at + 1)};
}

}  // namespace

void add_report_options(CLI::App& command, ReportArguments& arguments) {
  std::string kinds;
  for (const report::Reporter& one : report::reporters())
    kinds += fmt::format("\n{} ({})", one.kind, one.meaning);
  offer(writes(command.add_option(
                   "--report", arguments.files,
                   "Also write a report; may be repeated; FILE - is standard output. Kinds:" + kinds),
               "KIND=FILE", Dash::standard_output),
        [] {
          std::vector<std::string> words;
          for (const report::Reporter& one : report::reporters())
            words.push_back(std::string(one.kind) + "=");
          return words;
        });
  command.add_flag("--json", arguments.json, "The report as JSON on standard output instead of the table");
}

void add_every_metric_option(CLI::App& command, ReportArguments& arguments) {
  command.add_flag("--every-metric", arguments.every_metric,
                   "One row per metric instead of one per benchmark");
}

void check_report_arguments(const ReportArguments& arguments) {
  std::string instead = arguments.json ? "--json" : "";
  std::string beside;
  for (const std::string& word : arguments.files) {
    const Wanted one = wanted(word);
    if (one.instead()) {
      if (!instead.empty())
        throw result::UsageError(fmt::format(
            "--report {}: {} is for standard output too; only one of them can be", word, instead));
      instead = "--report " + word;
    }
    if (one.to_standard_output() && !one.instead()) beside = word;
  }
  if (!instead.empty() && !beside.empty())
    throw result::UsageError(fmt::format(
        "--report {} stands below the table, and {} takes the table's place; write one of them to "
        "a file",
        beside, instead));
}

std::vector<fs::path> report_files(const ReportArguments& arguments) {
  std::vector<fs::path> out;
  for (const std::string& word : arguments.files)
    if (const Wanted one = wanted(word); !one.to_standard_output()) out.emplace_back(one.file);
  return out;
}

int Beside::end(int exit_code) const {
  if (_problems.empty()) return exit_code;
  const bool shown_against_it = exit_code == static_cast<int>(judge::ExitCode::regressed);
  for (std::size_t i = 0; i + 1 < _problems.size(); ++i) warn(_problems[i]);
  warn(shown_against_it
           ? fmt::format("{}; what was found stands, and so does exit code {}", _problems.back(), exit_code)
           : fmt::format("{}; without {} it would have ended with {}", _problems.back(),
                         _problems.size() == 1 ? "that" : fmt::format("these {} problems", _problems.size()),
                         exit_code));
  return shown_against_it ? exit_code : static_cast<int>(judge::ExitCode::error);
}

void show_report(const report::Subject& subject, const ReportArguments& arguments, const std::string& table,
                 Beside& beside) {
  std::string shown = table;
  std::string below;
  if (arguments.json) beside.attempt("--json: ", [&] { shown = report::json_text(subject); });
  for (const std::string& word : arguments.files)
    if (const Wanted one = wanted(word); one.to_standard_output())
      beside.attempt(fmt::format("--report {}: ", word),
                     [&] { (one.instead() ? shown : below) = one.reporter->text(subject); });
  beside.attempt("", [&] { print(shown + below); });
}

void write_report_files(const report::Subject& subject, const ReportArguments& arguments, Beside& beside) {
  for (const std::string& word : arguments.files) {
    const Wanted one = wanted(word);
    if (one.to_standard_output()) continue;
    beside.attempt(fmt::format("--report {}: ", word),
                   [&] { result::write_file(one.file, one.reporter->text(subject)); });
  }
}

void write_reports(const report::Subject& subject, const ReportArguments& arguments, const std::string& table,
                   Beside& beside) {
  // The verdict first: nothing that goes wrong with a file may keep it back.
  show_report(subject, arguments, table, beside);
  write_report_files(subject, arguments, beside);
}

int write_reports(const report::Subject& subject, const ReportArguments& arguments, const std::string& table,
                  int exit_code) {
  Beside beside;
  write_reports(subject, arguments, table, beside);
  return beside.end(exit_code);
}

int print_verdict(const std::string& text, int exit_code) {
  Beside beside;
  beside.attempt("", [&] { print(text); });
  return beside.end(exit_code);
}

}  // namespace gpugauge::cli
