// gpugauge fleet: the runs of many nodes against each other.
#include "report/fleet.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/fleet.hpp"
#include "cli/named_files.hpp"
#include "cli/node_names.hpp"
#include "conductor/fleet_causes.hpp"
#include "judge/judge_peers.hpp"
#include "judge/policy_file.hpp"
#include "judge/policy_reach.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "store/store.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* fleet_footer =
    "Examples:\n"
    "  gpugauge fleet results/                     which node is not like the others?\n"
    "  gpugauge fleet results/ --by-folder         a node is a folder: results/node7/run.json\n"
    "  gpugauge fleet history.sqlite --night 2026-11-23\n"
    "  gpugauge fleet results/ --emit-retest again.txt\n"
    "  gpugauge fleet results/ --policy site.json --report html=fleet.html\n"
    "  gpugauge fleet admit new/ --against results/\n"
    "\n"
    "Exit codes: 0 no node is unlike the others; 1 one is, confirmed; 2 usage or tool error; 3 cannot judge; "
    "4 something is in doubt (with --strict).";

struct FleetArguments {
  std::vector<std::string> paths;
  std::string store;
  std::string night;
  std::string retest_list;
  PolicyArguments policy;
  ReportArguments report;
  bool strict = false;
  bool every_node = false;
  bool by_folder = false;
};

/// What the comparison did not keep of a run, from its file; nullopt where that is another run by now.
std::optional<result::Run> read_again(const judge::PeerRound& round) {
  try {
    result::Run run = result::read_run(round.file);
    return run.id == round.id ? std::optional(std::move(run)) : std::nullopt;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

/// Throws result::UsageError for an entry of the policy that no metric of these runs matches. Where nothing could
/// be read nothing can match, and the report says what could not be read.
void require_matches(const judge::Policy& rules, const std::vector<judge::PeerForm>& metrics) {
  if (metrics.empty()) return;
  judge::SeenMetrics seen;
  for (const judge::PeerForm& form : metrics) seen.add(form);
  judge::require_matches(rules, seen);
}

/// Nodes from files: read, reduced, judged and diagnosed.
report::FleetReport judge_files(const FleetArguments& arguments, judge::Policy rules) {
  std::vector<FoundFile> without;
  const std::vector<FoundFile> files = find_files(expanded(arguments.paths), &without);
  if (arguments.by_folder) refuse_nested_nodes(files);
  keep_freed_memory();
  judge::PeerCollector collector;
  judge::FleetDrift drift;
  std::mutex mutex;
  Sightings seen;
  ReadRuns read = read_runs(files, collector, [&](const judge::PeerRound& round, const result::Run& run) {
    drift.add(run, round.file);
    const std::lock_guard lock(mutex);
    seen.emplace(round.file, judge::sighting_of(run));
  });
  report::FleetReport made;
  made.policy = std::move(rules);
  made.input.rounds = std::move(read.rounds);
  made.input.unread = std::move(read.unread);
  made.input.fabrics = std::move(read.fabrics);
  made.input.metrics = collector.metrics();
  if (made.input.fabrics.empty())  // whose files the ranks of a collective left is not kept
    if (std::string remark = folders_of_no_run(files, made.input); !remark.empty())
      read.remarks.push_back(std::move(remark));
  bool named = true;
  if (arguments.by_folder) {
    refuse_shared_names(files, made.input.rounds, seen);
    name_nodes(made.input, names_by_folder(files));
  } else {
    for (std::string remark :
         {boot_in_several_folders(files, made.input), host_in_several_boots(made.input, seen)})
      if (!remark.empty()) read.remarks.push_back(std::move(remark));
    const NodeNames names = names_by_proof(files, made.input);
    call_nodes(made.input, names);
    named = !names.empty();
  }
  for (const FoundFile& folder : without)
    made.input.unread.push_back(
        {folder.file.string(), folder.label, no_run_in_folder, named ? folder.label : ""});
  require_matches(made.policy, made.input.metrics);
  made.judgement = judge::judge_peers(made.input, made.policy, arguments.strict);
  made.judgement.drift = drift.facts(names_of_runs(made.input));
  made.judgement.remarks.insert(made.judgement.remarks.end(), read.remarks.begin(), read.remarks.end());
  made.causes = conductor::fleet_causes(made.input, made.judgement, read_again, made.policy);
  return made;
}

/// Nodes from one night of the history.
report::FleetReport judge_night(const FleetArguments& arguments, judge::Policy rules) {
  store::Store history = store::Store::open(arguments.store, store::Access::reading);
  const store::NewestNight chosen = night_of(history, arguments.night);
  const std::string& night = chosen.days;
  judge::FleetDrift drift;
  result::Run run;  // of it, what the drift reads
  report::FleetReport made;
  made.policy = std::move(rules);
  made.input = history.night(night, [&](const judge::PeerRound& round, const result::Fingerprint& facts) {
    run.device = round.device;
    run.fingerprint = facts;
    drift.add(run, round.host.empty() ? round.label : round.host);
  });
  store::WiderNight wider = history.with_night_before(night);
  const std::string others = other_devices(wider);
  // A night that somebody chose is what he asked for; the newest one may be a part of what was measured.
  if (arguments.night.empty()) made.input.not_measured = std::move(wider.added);
  for (auto* rounds : {&made.input.rounds, &made.input.not_measured}) name_hosts(*rounds);
  require_matches(made.policy, made.input.metrics);
  made.judgement = judge::judge_peers(made.input, made.policy, arguments.strict);
  made.judgement.drift = drift.facts();
  made.judgement.remarks.push_back(fmt::format("{} of {} (UTC) from the store {}.",
                                               result::counted(made.input.rounds.size(), "run"), night,
                                               history.name()));
  if (std::string later = dated_later(chosen); !later.empty())
    made.judgement.remarks.push_back(std::move(later));
  const auto& nodes = made.judgement.nodes;
  if (!others.empty() && std::any_of(nodes.begin(), nodes.end(), [](const auto& node) {
        return node.state == judge::NodeState::not_judged;
      }))
    made.judgement.remarks.push_back(others);
  std::mutex one_at_a_time;
  made.causes = conductor::fleet_causes(
      made.input, made.judgement,
      [&](const judge::PeerRound& round) -> std::optional<result::Run> {
        const std::lock_guard lock(one_at_a_time);
        const result::Fingerprint* const facts = history.facts_of_run(round.id);
        if (facts == nullptr) return std::nullopt;
        result::Run of_facts;  // a history holds no more of it
        of_facts.id = round.id;
        of_facts.device = round.device;
        of_facts.fingerprint = *facts;
        return of_facts;
      },
      made.policy);
  return made;
}

int fleet(FleetArguments arguments) {
  check_report_arguments(arguments.report);
  judge::Policy rules = policy(arguments.policy);
  judge::require_of_fleet(rules);
  if (arguments.store.empty()) {
    arguments.store = history_among(arguments.paths);
    if (!arguments.store.empty()) arguments.paths.clear();
  }
  if (arguments.paths.empty() == arguments.store.empty())
    throw result::UsageError("fleet takes either run files and folders, or one history; give one of them");
  if (arguments.store.empty() && !arguments.night.empty())
    throw result::UsageError("--night is a night of a history: give one, too");
  if (!arguments.store.empty() && arguments.by_folder)
    throw result::UsageError(
        "--by-folder names the nodes of folders; a history has the names that ingest gave");
  report::FleetReport made = arguments.store.empty() ? judge_files(arguments, std::move(rules))
                                                     : judge_night(arguments, std::move(rules));
  judge::PeersJudgement& judgement = made.judgement;
  if (!arguments.retest_list.empty())
    for (std::string remark :
         {report::unnamed_in_retest_list(judgement), report::left_out_of_retest_list(judgement)})
      if (!remark.empty()) judgement.remarks.push_back(std::move(remark));
  Beside beside;
  write_reports(&made, arguments.report,
                report::draw(judgement, report::terminal(1), arguments.every_node, made.causes), beside);
  try {
    if (!arguments.retest_list.empty())
      result::write_file(arguments.retest_list, report::retest_list(judgement));
  } catch (const result::FileError& error) {
    beside.add(fmt::format("--emit-retest: {}", error.what()));
  }
  return beside.end(static_cast<int>(judgement.outcome.code));
}

}  // namespace

void add_fleet(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command =
      app.add_subcommand("fleet", "Compare the runs of many nodes: which of them is not like the others?");
  command->footer(fleet_footer);
  auto arguments = std::make_shared<FleetArguments>();
  reads(command->add_option(
            "paths", arguments->paths,
            "Run files, the sample files of a collective's ranks, folders with such files, or patterns "
            "in quotes; or one history: a file of SQLite, or postgresql://..."),
        "PATH", Reads::runs);
  reads(command->add_option("--store", arguments->store,
                            "The history, where it is not given as PATH: a file, or postgresql://..."),
        "FILE|URL");
  command
      ->add_option(
          "--night", arguments->night,
          "Of the history: this UTC day, or all from one (or a time of it) to another; each run of a "
          "device is compared, and the later ones confirm (default: the newest night)")
      ->type_name("DAY|FROM..TO");
  writes(
      command->add_option(
          "--emit-retest", arguments->retest_list,
          "Write what to measure again, one a line: a node, tab, device; or nodes to measure together "
          "with commas between them, tab, benchmark. A node is called as its folder (DIR/node7/run.json) or "
          "the history calls it"),
      "FILE");
  command->add_flag("--by-folder", arguments->by_folder,
                    "A node is the first folder below the given one (DIR/node7/run.json), whatever its boot: "
                    "for containers of one machine, and after a reboot between two runs");
  command->add_flag("--every-node", arguments->every_node, "Also list the nodes that are like the others");
  add_policy_file_option(*command, arguments->policy);
  add_report_options(*command, arguments->report);
  add_exit_style_option(*command);
  command->add_flag(
      "--strict", arguments->strict,
      "End with 4 when nodes are left to be measured again, the health of a GPU is in doubt, or something "
      "between nodes stays undecided");
  add_fleet_admit(*command, action);
  // The callback of the command above runs after that of the one below it.
  command->callback([command, arguments, &action] {
    if (command->get_subcommands().empty()) action = [arguments] { return fleet(*arguments); };
  });
}

}  // namespace gpugauge::cli
