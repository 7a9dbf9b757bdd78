// --report KIND=FILE, of every command that has a result, and how one ends whose result could not be written.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

struct Wanted : ReportFile {
  const report::Reporter* reporter = nullptr;

  bool to_standard_output() const { return file == "-"; }
  /// Takes the place of the table.
  bool instead() const { return to_standard_output() && !reporter->beside_the_table; }
};

Wanted wanted(const std::string& word) {
  ReportFile file = report_of(word, report::reporter_kinds(), Dash::standard_output);
  const report::Reporter* reporter = report::find_reporter(file.kind);
  return {std::move(file), reporter};
}

}  // namespace

ReportFile report_of(const std::string& word, const std::vector<std::string_view>& kinds, Dash dash) {
  const std::size_t at = word.find('=');
  const std::string kind = word.substr(0, at);
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw result::UsageError(fmt::format("--report {}: there is no kind of report '{}' here; there are {}",
                                         word, kind, fmt::join(kinds, ", ")));
  if (at == std::string::npos || at + 1 == word.size())
    throw result::UsageError(fmt::format("--report {}: give it as KIND=FILE, such as {}=FILE{}", word, kind,
                                         dash == Dash::standard_output ? "; - is standard output" : ""));
  return {word, kind, word.substr(at + 1)};
}

std::vector<ReportFile> reports_of(const std::vector<std::string>& words,
                                   const std::vector<std::string_view>& kinds) {
  std::vector<ReportFile> out;
  for (const std::string& word : words) out.push_back(report_of(word, kinds));
  return out;
}

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
      beside.attempt(one.label(), [&] { (one.instead() ? shown : below) = one.reporter->text(subject); });
  beside.attempt("", [&] { print(shown + below); });
}

void write_report_files(const report::Subject& subject, const ReportArguments& arguments, Beside& beside) {
  for (const std::string& word : arguments.files) {
    const Wanted one = wanted(word);
    if (one.to_standard_output()) continue;
    beside.attempt(one.label(), [&] { result::write_file(one.file, one.reporter->text(subject)); });
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
