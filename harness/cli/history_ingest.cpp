// gpugauge history ingest: which run files are stored, of which nodes, and what is said of them.
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "cli/history.hpp"
#include "cli/named_files.hpp"
#include "cli/node_names.hpp"
#include "cli/run_files.hpp"
#include "report/format.hpp"
#include "report/progress.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/path_list.hpp"
#include "result/stopwatch.hpp"
#include "store/ingest_files.hpp"

namespace gpugauge::cli {
namespace {

namespace fs = std::filesystem;

struct HistoryIngestArguments {
  HistoryArguments history;
  std::vector<std::string> paths;
  std::string node;
  bool quiet = false;
};

/// A run file is not read whole to see that it is no list.
bool may_be_list(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  file >> std::ws;
  return file.peek() == '[';
}

/// The files that a list names; nullopt for any other file, and for an array of anything else: reading that
/// as a run file says what it is. Throws result::UsageError for an empty list.
std::optional<std::vector<std::string>> list_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || !may_be_list(path)) return std::nullopt;
  std::optional<std::vector<std::string>> list;
  try {
    list = result::parse_path_list(result::read_file(path), path);
  } catch (const result::FileError&) {
    return std::nullopt;
  } catch (const result::FormatError&) {
    return std::nullopt;
  }
  if (list && list->empty()) throw result::UsageError(fmt::format("{} is a list of no file", path));
  return list;
}

/// The file and what its folder calls its node: the first folder below the given one. Where several were
/// given, as where the shell wrote out results/*, a host is called by the given one itself for a file that
/// lies directly in it. A GPU's identity names it, and such folders may be anything, as the days of a node's
/// runs.
store::NodeFile named_by_folder(const FoundFile& found, const NodeNames& names, bool several) {
  const std::string file = found.file.string();
  const std::string node = folder_of(found);
  return {file, node, several && found.in_a_folder ? names.at(file) : node, true, found.in_a_folder};
}

std::vector<store::NodeFile> find_inputs(const HistoryIngestArguments& arguments) {
  std::vector<std::string> paths;
  for (const std::string& path : expanded(arguments.paths)) {
    if (const auto list = list_of(path))
      paths.insert(paths.end(), list->begin(), list->end());
    else
      paths.push_back(path);
  }
  const std::vector<FoundFile> files = find_files(paths);
  if (arguments.node.empty()) refuse_nested_nodes(files);
  std::set<fs::path> folders;
  for (const FoundFile& found : files)
    if (found.in_a_folder) folders.insert(found.root);
  const NodeNames names = names_by_folder(files);
  std::vector<store::NodeFile> out;
  for (const FoundFile& found : files) {
    const std::string& node = arguments.node;
    out.push_back(node.empty() ? named_by_folder(found, names, folders.size() > 1)
                               : store::NodeFile{found.file.string(), node, node, false, found.in_a_folder});
  }
  return out;
}

/// Why a record is not in the store, which did not take it.
std::string reason_of(const store::Record& record, store::Outcome outcome, const std::string& refusal) {
  if (outcome == store::Outcome::changed)
    return fmt::format("the store has the run {} with other content, so one of the two files was changed",
                       record.peer.id);
  if (outcome == store::Outcome::other_machine) {
    const std::string why =
        record.host_name.empty()
            ? ""
            : fmt::format(" (its host is called {}, and theirs otherwise)", result::quoted(record.host_name));
    if (record.node.empty())
      return fmt::format(
          "the store has runs of another host without a name{}: say with --node which node it is", why);
    return fmt::format(
        "the store has runs of another machine as '{}', the name of this one's folder{}: call the folder "
        "otherwise, or say with --node which node it is",
        record.node, why);
  }
  return outcome == store::Outcome::refused ? refusal : "";
}

int ingest(const HistoryIngestArguments& arguments) {
  const std::vector<store::NodeFile> files = find_inputs(arguments);
  store::Store store = open_store(arguments.history, store::Access::writing);
  const report::Terminal terminal = report::terminal(2);
  report::ProgressLine progress(terminal, arguments.quiet || !terminal.interactive);
  const auto tell = [&](const std::string& sentence) {
    progress.clear();
    warn(sentence);
  };
  store::IngestWatch watch;
  watch.remark = tell;
  watch.unreadable = [&](const std::string& why) { tell(fmt::format("{}: skipped", why)); };
  watch.not_taken = [&](const store::Record& record, store::Outcome outcome, const std::string& refusal) {
    tell(fmt::format("{}: {}: skipped", record.source, reason_of(record, outcome, refusal)));
  };
  const result::Stopwatch ingesting;
  watch.progress = [&](std::size_t done, const std::string& file) {
    const double seconds = ingesting.seconds();
    const double left = seconds / static_cast<double>(done) * static_cast<double>(files.size() - done);
    progress.show({"ingest", static_cast<int>(done), static_cast<int>(files.size()), file, seconds, left});
  };
  keep_freed_memory();
  const store::Ingested counts = store::ingest_files(store, files, watch);
  progress.clear();
  std::string text = fmt::format("{}: {} of {} files stored ({} metric values)", store.name(), counts.stored,
                                 files.size(), counts.values);
  if (counts.known > 0) text += fmt::format(", {} known already", counts.known);
  if (counts.known > 0 && !arguments.node.empty())
    text += fmt::format(" and still of the node {} stored under: --node does not rename a node",
                        counts.known == 1 ? "it was" : "they were");
  if (counts.left_out > 0) text += fmt::format(", {} left out: no run files", counts.left_out);
  if (counts.refused > 0) text += fmt::format(", {} refused", counts.refused);
  print(report::plain(text) + "\n");
  return counts.refused > 0 ? static_cast<int>(judge::ExitCode::error) : 0;
}

}  // namespace

void add_history_ingest(CLI::App& history, Action& action) {
  auto arguments = std::make_shared<HistoryIngestArguments>();
  CLI::App* command =
      history.add_subcommand("ingest", "Store run files; files that are stored already are passed over");
  reads(
      command
          ->add_option(
              "paths", arguments->paths,
              "Run files, folders, patterns in quotes, or a JSON list of paths; below a folder, the name of "
              "the first folder is the node's")
          ->required(),
      "PATH", Reads::runs);
  command->add_option("--node", arguments->node, "The node that all of these runs are of")->type_name("NAME");
  add_store_options(*command, arguments->history);
  command->add_flag("-q,--quiet", arguments->quiet, "No progress line");
  command->callback([arguments, &action] { action = [arguments] { return ingest(*arguments); }; });
}

}  // namespace gpugauge::cli
