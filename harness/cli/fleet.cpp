// gpugauge fleet: the runs of many nodes against each other.
#include "report/fleet.hpp"

#include <memory>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/fleet.hpp"
#include "cli/node_names.hpp"
#include "judge/judge_peers.hpp"
#include "report/format.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
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
  bool by_folder = false;
};

/// One line a node: its name or where its file lay, a tab, the device to measure. One line a set of nodes to
/// measure together: their names with commas between, a tab, the benchmark.
std::string retest_list(const judge::PeersJudgement& judgement, const NodeNames& names) {
  std::string out;
  for (const judge::NodeJudgement& node : judgement.nodes) {
    if (!node.measure_again) continue;
    const auto name = node.files.empty() ? names.end() : names.find(node.files.front());
    out += fmt::format("{}\t{}\n", report::plain(name == names.end() ? node.label : name->second),
                       report::plain(node.device));
  }
  std::set<std::string> sets;  // several metrics of a benchmark ask for the same
  for (const judge::FabricJudgement& fabric : judgement.fabrics)
    for (const std::vector<std::string>& nodes : fabric.measure_again)
      if (std::string line = fmt::format("{}\t{}\n", report::plain(fmt::format("{}", fmt::join(nodes, ","))),
                                         report::plain(judge::benchmark_of(fabric.metric)));
          sets.insert(line).second)
        out += line;
  return out;
}

/// Nodes from files: read, reduced and judged. Fills `names` where folders name the nodes.
report::FleetReport judge_files(const Arguments& arguments, NodeNames& names) {
  const std::vector<FoundFile> files = find_files(expanded(arguments.paths));
  keep_freed_memory();
  if (arguments.by_folder) names = names_by_folder(files);
  judge::PeerCollector collector;
  judge::FleetDrift drift;
  ReadRuns read = read_runs(files, collector, [&](const judge::PeerRound& round, const result::Run& run) {
    const auto name = names.find(round.file);
    drift.add(run, name == names.end() ? round.label : name->second);
  });
  report::FleetReport made;
  made.input.rounds = std::move(read.rounds);
  made.input.unread = std::move(read.unread);
  made.input.fabrics = std::move(read.fabrics);
  made.input.metrics = collector.metrics();
  if (arguments.by_folder) name_nodes(made.input, names);
  made.judgement = judge::judge_peers(made.input, {}, arguments.strict);
  made.judgement.drift = drift.facts();
  made.judgement.remarks.insert(made.judgement.remarks.end(), read.remarks.begin(), read.remarks.end());
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
  made.judgement.remarks.push_back(fmt::format("{} of {} (UTC) from the store {}.",
                                               result::counted(made.input.rounds.size(), "run"), night,
                                               history.name()));
  return made;
}

int fleet(const Arguments& arguments) {
  check_report_arguments(arguments.report);
  if (arguments.paths.empty() == arguments.store.empty())
    throw result::UsageError(
        "fleet takes either run files and folders, or --store with a history; give one of them");
  if (arguments.store.empty() && !arguments.night.empty())
    throw result::UsageError("--night is a night of a history: give --store, too");
  if (!arguments.store.empty() && arguments.by_folder)
    throw result::UsageError(
        "--by-folder names the nodes of folders; a history has the names that ingest gave");
  NodeNames names;
  const report::FleetReport made =
      arguments.store.empty() ? judge_files(arguments, names) : judge_night(arguments);
  const judge::PeersJudgement& judgement = made.judgement;
  const int code = write_reports(&made, arguments.report,
                                 report::draw(judgement, report::terminal(1), arguments.every_node),
                                 static_cast<int>(judgement.outcome.code));
  if (!arguments.retest_list.empty())
    result::write_file(arguments.retest_list, retest_list(judgement, names));
  return code;
}

}  // namespace

void add_fleet(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command =
      app.add_subcommand("fleet", "Compare the runs of many nodes: which of them is not like the others?");
  auto arguments = std::make_shared<Arguments>();
  command
      ->add_option(
          "paths", arguments->paths,
          "Run files, the sample files of a collective's ranks, folders with such files, or patterns "
          "in quotes")
      ->type_name("PATH");
  command
      ->add_option("--store", arguments->store,
                   "Take the runs from this history instead: a file, or postgresql://...")
      ->type_name("FILE|URL");
  command->add_option("--night", arguments->night, "Of the history: this UTC day (default: the newest)")
      ->type_name("DAY");
  command
      ->add_option(
          "--emit-retest", arguments->retest_list,
          "Write what to measure again, one a line: a node, tab, device; or nodes to measure together "
          "with commas between them, tab, benchmark")
      ->type_name("FILE");
  command->add_flag("--by-folder", arguments->by_folder,
                    "A node is the first folder below the given one (DIR/node7/run.json), whatever its boot: "
                    "for containers of one machine, and after a reboot between two runs");
  command->add_flag("--every-node", arguments->every_node, "Also list the nodes that are like the others");
  add_report_options(*command, arguments->report);
  add_exit_style_option(*command);
  command->add_flag("--strict", arguments->strict, "End with 4 when nodes are left to be measured again");
  add_fleet_admit(*command, action);
  // The callback of the command above runs after that of the one below it.
  command->callback([command, arguments, &action] {
    if (command->get_subcommands().empty()) action = [arguments] { return fleet(*arguments); };
  });
}

}  // namespace gpugauge::cli
