// gpugauge baseline export, import: a baseline as one file.
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/transfer.hpp"
#include "cli/baseline.hpp"
#include "cli/named_files.hpp"
#include "report/format.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/shell_word.hpp"
#include "result/time.hpp"

namespace gpugauge::cli {
namespace {

struct BaselineTransferArguments {
  std::string name;
  std::string file;
  std::string new_name;
  std::string reason;
  std::string state_directory;
};

int to_file(const BaselineTransferArguments& arguments) {
  state_directory(arguments.state_directory);
  const std::filesystem::path folder = baseline::find(arguments.name);
  if (result::is_there(arguments.file))
    throw result::UsageError(fmt::format("{} is there already; name a file that is not", arguments.file));
  result::write_file(arguments.file, baseline::to_bundle(folder));
  print(fmt::format("Baseline {} written to {}\n", report::plain(folder.string()), arguments.file));
  return 0;
}

int from_file(const BaselineTransferArguments& arguments) {
  state_directory(arguments.state_directory);
  const baseline::Baseline made =
      baseline::from_bundle(result::read_file(arguments.file), arguments.file, baseline::site_directory(),
                            arguments.new_name, arguments.reason, result::utc_now());
  const std::string name = made.folder.filename().string();
  print(
      fmt::format("Baseline {} of {} imported: {}, {}\n", name, report::plain(made.manifest.device),
                  result::counted(made.runs.size(), "round"),
                  state_of(made.log) == baseline::State::active
                      ? "active"
                      : fmt::format("a candidate; `gpugauge baseline accept {} --reason ...` makes it active",
                                    report::plain(result::shell_word(made.folder.string())))));
  std::set<std::string> left_behind;
  for (const baseline::LogEntry& entry : made.log)
    if (entry.accepted) left_behind.insert(entry.accepted->metric);
  if (!left_behind.empty())
    print(fmt::format("What was accepted where it comes from holds there and not here: {}\n",
                      report::plain(fmt::format("{}", fmt::join(left_behind, ", ")))));
  return 0;
}

}  // namespace

void add_baseline_transfer(CLI::App& baseline, Action& action) {
  auto arguments = std::make_shared<BaselineTransferArguments>();
  CLI::App* exporting = baseline.add_subcommand("export", "Write a baseline as one file");
  reads(exporting->add_option("baseline", arguments->name, "Name or folder of the baseline")->required(),
        "NAME|DIR", Reads::baseline);
  writes(exporting->add_option("file", arguments->file, "File to write")->required(), "FILE");
  CLI::App* importing = baseline.add_subcommand(
      "import", "Take in a baseline that another node exported, as a candidate for this site");
  reads(importing->add_option("file", arguments->file, "File that `baseline export` wrote")->required(),
        "FILE");
  importing->add_option("--name", arguments->new_name, "Another name for it here");
  importing->add_option("--reason", arguments->reason, "Accept it at once, for this reason")
      ->type_name("TEXT");
  for (CLI::App* command : {exporting, importing})
    command->add_option("--state-dir", arguments->state_directory, "Where baselines are kept")
        ->type_name("DIR");
  exporting->callback([arguments, &action] { action = [arguments] { return to_file(*arguments); }; });
  importing->callback([arguments, &action] { action = [arguments] { return from_file(*arguments); }; });
}

}  // namespace gpugauge::cli
