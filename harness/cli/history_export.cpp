// gpugauge history export: the values as CSV or JSON lines.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/history.hpp"
#include "cli/named_files.hpp"
#include "report/digest.hpp"
#include "result/error.hpp"
#include "result/growing_file.hpp"

namespace gpugauge::cli {
namespace {

struct HistoryExportArguments {
  HistoryArguments history;
  std::string format = "csv";
  std::string file;
};

/// Standard output, or a file that appears under its name when it is whole.
class Output {
 public:
  explicit Output(const std::string& file) {
    if (!file.empty() && file != "-") file_.emplace(file);
  }

  void write(const std::string& text) {
    if (file_)
      file_->write(text);
    else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
      fail();
  }
  void finish() {
    if (file_)
      file_->finish();
    else if (std::fflush(stdout) != 0)
      fail();
  }

 private:
  [[noreturn]] static void fail() {
    throw result::FileError(fmt::format("standard output could not be written: {}", std::strerror(errno)));
  }

  std::optional<result::GrowingFile> file_;
};

/// RFC 4180: in quotes where it holds a comma or a quote. Line breaks, other control characters and marks
/// that turn the direction become '?'. A spreadsheet would run a text that begins with one of = + - @: an
/// apostrophe stands before it then.
std::string cell(const std::string& text) {
  std::string out = report::tame(text, std::string::npos);
  if (out.find_first_of("=+-@") == 0) out.insert(out.begin(), '\'');
  if (out.find_first_of(",\"") == std::string::npos) return out;
  for (std::size_t at = out.find('"'); at != std::string::npos; at = out.find('"', at + 2))
    out.insert(at, 1, '"');
  return fmt::format("\"{}\"", out);
}

std::string csv_line(const store::Row& row) {
  const judge::PeerForm& form = row.metric->form;
  std::string values = row.values.substr(1, row.values.size() - 2);
  for (char& c : values)
    if (c == ',') c = ' ';
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.started, cell(row.node),
                     cell(row.device), cell(row.run_id), cell(row.profile), row.round, cell(form.key),
                     cell(form.metric_class), cell(form.unit), to_string(form.better), row.median, values,
                     cell(row.source));
}

std::string json_line(const store::Row& row) {
  const judge::PeerForm& form = row.metric->form;
  const nlohmann::ordered_json line{
      {"started", row.started}, {"node", row.node},
      {"device", row.device},   {"run", row.run_id},
      {"profile", row.profile}, {"round", row.round},
      {"metric", form.key},     {"class", form.metric_class},
      {"unit", form.unit},      {"better", to_string(form.better)},
      {"median", row.median},   {"processes", nlohmann::json::parse(row.values)},
      {"source", row.source}};
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int write_out(const HistoryExportArguments& arguments) {
  const store::Span within = span(arguments.history);
  store::Store store = open_store(arguments.history, store::Access::reading);
  const auto devices = select_devices(store, arguments.history);
  const auto metrics = select_metrics(store, arguments.history.metric);
  Output output(arguments.file);
  const bool csv = arguments.format == "csv";
  if (csv)
    output.write("started,node,device,run,profile,round,metric,class,unit,better,median,processes,source\n");
  store.each_row(devices, metrics, within,
                 [&](const store::Row& row) { output.write(csv ? csv_line(row) : json_line(row)); });
  output.finish();
  return 0;
}

}  // namespace

void add_history_export(CLI::App& history, Action& action) {
  auto arguments = std::make_shared<HistoryExportArguments>();
  CLI::App* command =
      history.add_subcommand("export", "Write the values of every process as CSV or JSON lines");
  command->add_option("--format", arguments->format, "csv or jsonl")
      ->check(CLI::IsMember({"csv", "jsonl"}))
      ->capture_default_str();
  writes(command->add_option("--output", arguments->file, "Write to this file instead of standard output"),
         "FILE", Dash::standard_output);
  command->add_option("--metric", arguments->history.metric, "Only metrics that match; * stands for anything")
      ->type_name("PATTERN");
  add_selection_options(*command, arguments->history);
  add_store_options(*command, arguments->history);
  command->callback([arguments, &action] { action = [arguments] { return write_out(*arguments); }; });
}

}  // namespace gpugauge::cli
