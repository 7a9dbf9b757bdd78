// gpugauge fleet: the runs of many nodes against each other.
#include "report/fleet.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "judge/judge_peers.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/run_file.hpp"

namespace gpugauge::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> paths;
  std::string retest_list;
  ReportArguments report;
  bool strict = false;
  bool every_node = false;
};

struct Found {
  fs::path file;
  std::string label;         ///< without folder and extension
  bool in_a_folder = false;  ///< found in a folder, not named
};

/// All *.json below a folder, in the order of their names.
void look_into(const fs::path& folder, std::vector<Found>& out) {
  std::error_code error;
  std::vector<Found> found;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;  // a dangling link is no folder: reading it will say what it is
    const fs::path& file = entry->path();
    if (file.extension() != ".json" || entry->is_directory(unknown)) continue;
    found.push_back({file, file.lexically_relative(folder).replace_extension().string(), true});
  }
  if (error)
    throw result::FileError(fmt::format("{} could not be searched: {}", folder.string(), error.message()));
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.label < b.label; });
  out.insert(out.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

std::vector<Found> find_files(const std::vector<std::string>& paths) {
  std::vector<Found> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      const std::size_t before = out.size();
      look_into(path, out);
      if (out.size() == before) throw result::UsageError(fmt::format("{} holds no *.json file", path));
    } else {
      out.push_back({path, fs::path(path).replace_extension().string(), false});
    }
  }
  return out;
}

/// A file of ours that is no run: a baseline's manifest, a report. Only its beginning is looked at.
bool of_another_schema(const std::string& text) {
  const std::string_view head = std::string_view(text).substr(0, 256);
  constexpr std::string_view ours = "\"gpugauge.";
  const auto schema = head.find("\"schema\"");
  const auto name = schema == std::string_view::npos ? schema : head.find(ours, schema);
  return name != std::string_view::npos && head.substr(name + 1, 13) != "gpugauge.run/";
}

/// Reads and reduces files on every core; each thread holds one run at a time.
class Reader {
 public:
  explicit Reader(const std::vector<Found>& files) : files_(files), rounds_(files.size()) {}

  judge::PeersInput read() {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < std::min(cores, files_.size()); ++i)
        threads.emplace_back([this] { work(); });
    }
    if (failure_) std::rethrow_exception(failure_);
    judge::PeersInput out;
    for (auto& round : rounds_)
      if (round) out.rounds.push_back(std::move(*round));
    std::sort(unread_.begin(), unread_.end(), [](const auto& a, const auto& b) { return a.label < b.label; });
    out.unread = std::move(unread_);
    out.metrics = collector_.metrics();
    return out;
  }
  std::size_t left_out() const { return left_out_; }

 private:
  void work() {
    try {
      for (std::size_t i = next_++; i < files_.size(); i = next_++) take(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  void take(std::size_t index) {
    const Found& found = files_[index];
    const std::string name = found.file.string();
    try {
      const std::string text = result::read_file(found.file);
      if (found.in_a_folder && of_another_schema(text)) {
        ++left_out_;
        return;
      }
      const result::Run run = result::parse_run(text, name, result::Detail::values);
      rounds_[index] = collector_.reduce(run, name, found.label);
    } catch (const std::runtime_error& error) {
      const std::lock_guard lock(mutex_);
      unread_.push_back({name, found.label, error.what()});
    }
  }

  const std::vector<Found>& files_;
  std::vector<std::optional<judge::PeerRound>> rounds_;
  judge::PeerCollector collector_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> left_out_ = 0;
  std::mutex mutex_;
  std::vector<judge::UnreadFile> unread_;
  std::exception_ptr failure_;
};

/// One line a node: where its file lay, a tab, the device to measure.
std::string retest_list(const judge::PeersJudgement& judgement) {
  std::string out;
  for (const judge::NodeJudgement& node : judgement.nodes)
    if (node.measure_again) out += fmt::format("{}\t{}\n", node.label, node.device);
  return out;
}

int fleet(const Arguments& arguments) {
  check_report_arguments(arguments.report);
  const std::vector<Found> files = find_files(arguments.paths);
  Reader reader(files);
  report::FleetReport made;
  made.input = reader.read();
  made.judgement = judge::judge_peers(made.input, {}, arguments.strict);
  judge::PeersJudgement& judgement = made.judgement;
  if (reader.left_out() > 0)
    judgement.remarks.push_back(
        fmt::format("{} left out: in the folders, and no run file.",
                    reader.left_out() == 1 ? "1 file was" : fmt::format("{} files were", reader.left_out())));
  const int code = write_reports(&made, arguments.report,
                                 report::draw(judgement, report::terminal(1), arguments.every_node),
                                 static_cast<int>(judgement.outcome.code));
  if (!arguments.retest_list.empty()) result::write_file(arguments.retest_list, retest_list(judgement));
  return code;
}

}  // namespace

void add_fleet(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command =
      app.add_subcommand("fleet", "Compare the runs of many nodes: which of them is not like the others?");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("paths", arguments->paths, "Run files, or folders with run files")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("--emit-retest", arguments->retest_list,
                   "Write the nodes to measure again, one a line: name, tab, device")
      ->type_name("FILE");
  command->add_flag("--every-node", arguments->every_node, "Also list the nodes that are like the others");
  add_report_options(*command, arguments->report);
  command->add_flag("--strict", arguments->strict, "End with 4 when nodes are left to be measured again");
  command->callback([arguments, &action] { action = [arguments] { return fleet(*arguments); }; });
}

}  // namespace gpugauge::cli
