// gpugauge history ingest: run files into the store. Every core reads, one thread writes.
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <istream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "baseline/digest.hpp"
#include "cli/history.hpp"
#include "cli/named_files.hpp"
#include "cli/node_names.hpp"
#include "cli/run_files.hpp"
#include "report/format.hpp"
#include "report/progress.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/google_benchmark.hpp"
#include "result/path_list.hpp"
#include "result/read_ahead.hpp"
#include "result/run_reader.hpp"
#include "result/stopwatch.hpp"
#include "result/threads.hpp"

namespace gpugauge::cli {
namespace {

namespace fs = std::filesystem;

struct HistoryIngestArguments {
  HistoryArguments history;
  std::vector<std::string> paths;
  std::string node;
  bool quiet = false;
};

/// A run file and the node it is of.
struct Input {
  std::string file;
  std::string node;
  std::string host;              ///< the same for a run of a host
  bool named_by_folder = false;  ///< the folder is the node's name
  bool in_a_folder = false;
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
Input named_by_folder(const FoundFile& found, const NodeNames& names, bool several) {
  const std::string file = found.file.string();
  const std::string node = folder_of(found);
  return {file, node, several && found.in_a_folder ? names.at(file) : node, true, found.in_a_folder};
}

std::vector<Input> find_inputs(const HistoryIngestArguments& arguments) {
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
  std::vector<Input> out;
  for (const FoundFile& found : files) {
    const std::string& node = arguments.node;
    out.push_back(node.empty() ? named_by_folder(found, names, folders.size() > 1)
                               : Input{found.file.string(), node, node, false, found.in_a_folder});
  }
  return out;
}

/// What reading one file gave.
struct Read {
  std::size_t input = 0;
  std::optional<store::Record> record;
  std::string fault;   ///< one sentence
  std::string remark;  ///< one sentence on what is stored all the same
  bool known = false;  ///< in the store already; without any of these: no run file, left out
};

/// Reads on every core, a little ahead of whoever takes.
class Readers {
 public:
  Readers(const std::vector<Input>& inputs, const std::set<std::string>& known)
      : inputs_(inputs), known_(known) {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    result::start_threads(threads_, std::min(cores, inputs.size()), [this] { work(); });
  }
  ~Readers() {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    room_.notify_all();
  }
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  /// What is ready, at least one, at most `most`, in the order of the inputs; empty at the end.
  std::vector<Read> take(std::size_t most) {
    if (threads_.empty()) return read_here();
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return failure_ || next_ == inputs_.size() || read_.contains(next_); });
    if (failure_) std::rethrow_exception(failure_);
    std::vector<Read> out;
    for (auto next = read_.find(next_); next != read_.end() && out.size() < most; next = read_.find(++next_))
      out.push_back(std::move(read_.extract(next).mapped()));
    room_.notify_all();
    return out;
  }

 private:
  static constexpr std::size_t ahead = 128;

  void work() {
    try {
      result::ReadAhead::File file;
      result::Run run;
      while (ahead_.next(file)) {
        Read read = read_one(file, run);
        std::unique_lock lock(mutex_);
        // While a slow file is waited for, others may be read beyond that: it could be with any of us.
        room_.wait(lock, [&] { return stop_ || read_.size() < ahead || !read_.contains(next_); });
        if (stop_) return;
        read_.emplace(read.input, std::move(read));
        ready_.notify_one();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      ready_.notify_one();
    }
  }

  /// The next one, where the system gave no thread.
  std::vector<Read> read_here() {
    std::vector<Read> out;
    result::ReadAhead::File file;
    result::Run run;
    if (ahead_.next(file)) out.push_back(read_one(file, run));
    return out;
  }

  /// `run`: room that is used again.
  Read read_one(const result::ReadAhead::File& file, result::Run& run) const {
    const Input& input = inputs_[file.index];
    const std::string& text = file.text;
    Read out;
    out.input = file.index;
    try {
      if (file.fault) std::rethrow_exception(file.fault);
      if (input.in_a_folder && of_another_schema(text)) return out;
      std::string hash = baseline::sha256(text);
      out.known = known_.contains(hash);
      if (out.known) return out;
      if (result::is_google_benchmark(text))
        run = result::parse_google_benchmark(text, input.file);
      else
        result::parse_run(text, input.file, result::Detail::values, run);
      out.remark = from_the_future(input.file, run.started);
      const bool is_host = store::identity_of(run) == "host";
      out.record = store::record_of(run, std::move(hash), input.file, is_host ? input.host : input.node);
      out.record->named_by_folder = input.named_by_folder;
    } catch (const std::runtime_error& error) {
      out.fault = error.what();
    }
    return out;
  }

  const std::vector<Input>& inputs_;
  const std::set<std::string>& known_;
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::map<std::size_t, Read> read_;  ///< by input
  std::size_t next_ = 0;              ///< input that is taken next
  bool stop_ = false;
  std::exception_ptr failure_;
  result::ReadAhead ahead_{inputs_.size(), [this](std::size_t i) { return inputs_[i].file; }};
  std::vector<std::jthread> threads_;  ///< last: they end before what they use
};

struct Counts {
  std::size_t stored = 0, values = 0, known = 0, refused = 0, left_out = 0;
};

void refuse(report::ProgressLine& progress, Counts& counts, const std::string& sentence) {
  progress.clear();
  warn(fmt::format("{}: skipped", sentence));
  ++counts.refused;
}

/// Why a record is not in the store; "" for one that is.
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
  constexpr std::size_t most_at_once = 64;
  constexpr std::size_t few = 16;
  const std::vector<Input> inputs = find_inputs(arguments);
  store::Store store = open_store(arguments.history, store::Access::writing);
  const report::Terminal terminal = report::terminal(2);
  report::ProgressLine progress(terminal, arguments.quiet || !terminal.interactive);
  const result::Stopwatch ingesting;
  Counts counts;
  std::size_t done = 0;
  keep_freed_memory();
  // A folder that grows night by night holds mostly what is known.
  const std::set<std::string> known = inputs.size() > few ? store.content_hashes() : std::set<std::string>{};
  Readers readers(inputs, known);
  for (auto ready = readers.take(most_at_once); !ready.empty(); ready = readers.take(most_at_once)) {
    std::vector<store::Record> records;
    for (Read& read : ready) {
      if (read.record && !read.remark.empty()) {
        progress.clear();
        warn(read.remark);
      }
      if (read.record)
        records.push_back(std::move(*read.record));
      else if (!read.fault.empty())
        refuse(progress, counts, read.fault);
      else if (read.known)
        ++counts.known;
      else
        ++counts.left_out;
    }
    std::map<std::size_t, std::string> refusals;
    const std::vector<store::Outcome> outcomes = store.ingest(records, &refusals);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (const std::string reason = reason_of(records[i], outcomes[i], refusals[i]); !reason.empty())
        refuse(progress, counts, fmt::format("{}: {}", records[i].source, reason));
      counts.known += outcomes[i] == store::Outcome::known ? 1 : 0;
      if (outcomes[i] != store::Outcome::stored) continue;
      ++counts.stored;
      counts.values += static_cast<std::size_t>(
          std::count_if(records[i].measured.begin(), records[i].measured.end(),
                        [](const store::Measured& measured) { return measured.form.judged; }));
    }
    done += ready.size();
    const double seconds = ingesting.seconds();
    const double left = seconds / static_cast<double>(done) * static_cast<double>(inputs.size() - done);
    progress.show({"ingest", static_cast<int>(done), static_cast<int>(inputs.size()),
                   inputs[ready.back().input].file, seconds, left});
  }
  store.count_rows(counts.values);
  progress.clear();
  std::string text = fmt::format("{}: {} of {} files stored ({} metric values)", store.name(), counts.stored,
                                 inputs.size(), counts.values);
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
