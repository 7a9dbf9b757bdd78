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
#include "cli/run_files.hpp"
#include "judge/judge_peers.hpp"
#include "report/format.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/run_reader.hpp"
#include "store/store.hpp"

namespace gpugauge::cli {
namespace {

struct Arguments {
  std::vector<std::string> paths;
  std::string store;
  std::string night;
  std::string retest_list;
  ReportArguments report;
  bool strict = false;
  bool every_node = false;
};

/// Reads and reduces files on every core; each thread holds one run at a time.
class Reader {
 public:
  explicit Reader(const std::vector<FoundFile>& files) : files_(files), rounds_(files.size()) {}

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
  static constexpr std::size_t ahead = 16;

  void work() {
    try {
      std::string text;
      result::Run run;
      for (std::size_t i = next_++; i < files_.size(); i = next_++) {
        if (i + ahead < files_.size()) fetch_soon(files_[i + ahead].file);
        take(i, text, run);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  /// `text` and `run`: room that is used again.
  void take(std::size_t index, std::string& text, result::Run& run) {
    const FoundFile& found = files_[index];
    const std::string name = found.file.string();
    try {
      result::read_file(found.file, text);
      if (found.in_a_folder && of_another_schema(text)) {
        ++left_out_;
        return;
      }
      result::parse_run(text, name, result::Detail::values, run);
      rounds_[index] = collector_.reduce(run, name, found.label);
    } catch (const std::runtime_error& error) {
      const std::lock_guard lock(mutex_);
      unread_.push_back({name, found.label, error.what()});
    }
  }

  const std::vector<FoundFile>& files_;
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
    if (node.measure_again)
      out += fmt::format("{}\t{}\n", report::plain(node.label), report::plain(node.device));
  return out;
}

/// Nodes from files: read, reduced and judged.
report::FleetReport judge_files(const Arguments& arguments) {
  const std::vector<FoundFile> files = find_files(arguments.paths);
  keep_freed_memory();
  Reader reader(files);
  report::FleetReport made;
  made.input = reader.read();
  made.judgement = judge::judge_peers(made.input, {}, arguments.strict);
  if (reader.left_out() > 0)
    made.judgement.remarks.push_back(
        fmt::format("{} left out: in the folders, and no run file.",
                    reader.left_out() == 1 ? "1 file was" : fmt::format("{} files were", reader.left_out())));
  return made;
}

/// Nodes from one night of the history.
report::FleetReport judge_night(const Arguments& arguments) {
  store::Store history = store::Store::open(arguments.store, store::Access::reading);
  const std::string night = arguments.night.empty() ? history.newest_day() : arguments.night;
  if (night.empty()) throw result::UsageError(fmt::format("the store {} holds no run yet", history.name()));
  report::FleetReport made;
  made.input = history.night(night);
  made.judgement = judge::judge_peers(made.input, {}, arguments.strict);
  made.judgement.remarks.push_back(
      fmt::format("{} run{} of {} (UTC) from the store {}.", made.input.rounds.size(),
                  made.input.rounds.size() == 1 ? "" : "s", night, history.name()));
  return made;
}

int fleet(const Arguments& arguments) {
  check_report_arguments(arguments.report);
  if (arguments.paths.empty() == arguments.store.empty())
    throw result::UsageError(
        "fleet takes either run files and folders, or --store with a history; give one of them");
  if (arguments.store.empty() && !arguments.night.empty())
    throw result::UsageError("--night is a night of a history: give --store, too");
  const report::FleetReport made = arguments.store.empty() ? judge_files(arguments) : judge_night(arguments);
  const judge::PeersJudgement& judgement = made.judgement;
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
  command->add_option("paths", arguments->paths, "Run files, or folders with run files")->type_name("PATH");
  command
      ->add_option("--store", arguments->store,
                   "Take the runs from this history instead: a file, or postgresql://...")
      ->type_name("FILE|URL");
  command->add_option("--night", arguments->night, "Of the history: this UTC day (default: the newest)")
      ->type_name("DAY");
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
