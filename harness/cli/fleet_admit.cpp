// gpugauge fleet admit: a newcomer against the nodes that are there.
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/fleet.hpp"
#include "cli/named_files.hpp"
#include "cli/node_names.hpp"
#include "judge/admit.hpp"
#include "judge/policy_file.hpp"
#include "judge/policy_reach.hpp"
#include "report/admission.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "store/store.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* admit_footer =
    "Examples:\n"
    "  gpugauge fleet admit new/ --against results/\n"
    "  gpugauge fleet admit new/ --against history.sqlite --night 2026-11-23\n"
    "\n"
    "Exit codes: 0 every newcomer is admitted; 1 one is refused; 2 usage or tool error; 3 measure again, or "
    "cannot judge.";

struct FleetAdmitArguments {
  std::vector<std::string> paths;
  std::vector<std::string> against;
  std::string night;
  PolicyArguments policy;
  bool by_folder = false;
  bool json = false;
};

/// Takes the fleet from one night of a history.
void from_store(const std::string& location, const FleetAdmitArguments& arguments, judge::UsualFacts& usual,
                judge::PeerCollector& collector, judge::AdmissionInput& input,
                std::vector<std::string>& remarks) {
  store::Store history = store::Store::open(location, store::Access::reading);
  const store::NewestNight chosen = night_of(history, arguments.night);
  const std::string& night = chosen.days;
  judge::PeersInput found =
      history.night(night, [&](const judge::PeerRound& round, const result::Fingerprint& facts) {
        usual.add(round.kind, round.id, facts);
      });
  remarks.push_back(fmt::format("The fleet: {} of {} (UTC) from the store {}.",
                                result::counted(found.rounds.size(), "run"), night, history.name()));
  if (std::string later = dated_later(chosen); !later.empty()) remarks.push_back(std::move(later));
  if (const auto wider = history.with_night_before(night); arguments.night.empty() && !wider.added.empty())
    remarks.push_back(other_devices(wider));
  collector.adopt(found);
  input.fleet.rounds = std::move(found.rounds);
  name_hosts(input.fleet.rounds);
}

/// Reads runs from files, patterns aside; `by_folder`: their nodes are called as their folders.
ReadRuns read_named(const std::vector<std::string>& paths, bool by_folder, judge::PeerCollector& collector,
                    const TakeRun& take) {
  std::vector<FoundFile> without;
  const std::vector<FoundFile> files = find_files(paths, &without);
  if (by_folder) refuse_nested_nodes(files);
  std::mutex mutex;
  Sightings seen;
  ReadRuns read = read_runs(files, collector, [&](const judge::PeerRound& round, const result::Run& run) {
    take(round, run);
    if (!by_folder) return;
    const std::lock_guard lock(mutex);
    seen.emplace(round.file, judge::sighting_of(run));
  });
  judge::PeersInput named;
  named.rounds = std::move(read.rounds);
  named.unread = std::move(read.unread);
  if (by_folder) {
    refuse_shared_names(files, named.rounds, seen);
    name_nodes(named, names_by_folder(files));
  }
  for (const FoundFile& folder : without)
    named.unread.push_back({folder.file.string(), folder.label, no_run_in_folder});
  read.rounds = std::move(named.rounds);
  read.unread = std::move(named.unread);
  return read;
}

/// Two newcomers whose files are called alike are called by their whole paths.
void tell_apart(std::vector<judge::PeerRound>& rounds) {
  std::map<std::string, std::set<std::string>> nodes;
  for (const judge::PeerRound& round : rounds) nodes[round.label].insert(round.node);
  for (judge::PeerRound& round : rounds)
    if (nodes[round.label].size() > 1)
      round.label = std::filesystem::path(round.file).replace_extension().string();
}

int admit(const FleetAdmitArguments& arguments) {
  const judge::Policy rules = policy(arguments.policy);
  judge::require_of_admission(rules);
  const std::string store = history_among(arguments.against);
  if (store.empty() && !arguments.night.empty())
    throw result::UsageError("--night is a night of a history: give one with --against, too");
  judge::UsualFacts usual;
  judge::PeerCollector collector;
  judge::AdmissionInput input;
  std::vector<std::string> remarks;
  bool collectives = false;
  if (!store.empty()) {
    from_store(store, arguments, usual, collector, input, remarks);
  } else {
    ReadRuns fleet = read_named(expanded(arguments.against), arguments.by_folder, collector,
                                [&](const judge::PeerRound& round, const result::Run& run) {
                                  usual.add(round.kind, round.id, run.fingerprint);
                                });
    if (fleet.rounds.empty())
      throw result::UsageError(fmt::format("--against {}: no run of a device was found there{}",
                                           fmt::join(arguments.against, ", "),
                                           fleet.unread.empty() ? "" : ": " + fleet.unread.front().reason));
    input.fleet.rounds = std::move(fleet.rounds);
    input.fleet.unread = std::move(fleet.unread);
    remarks = std::move(fleet.remarks);
    collectives = !fleet.fabrics.empty();
  }
  std::mutex mutex;
  ReadRuns newcomers = read_named(arguments.paths, arguments.by_folder, collector,
                                  [&](const judge::PeerRound& round, const result::Run& run) {
                                    const std::lock_guard lock(mutex);
                                    input.fingerprints.emplace(round.id, run.fingerprint);
                                  });
  input.newcomers = std::move(newcomers.rounds);
  tell_apart(input.newcomers);
  input.unread = std::move(newcomers.unread);
  input.fleet.metrics = collector.metrics();
  judge::SeenMetrics seen;
  for (const judge::PeerForm& form : input.fleet.metrics) seen.add(form);
  judge::require_matches(rules, seen);
  judge::Admissions made = judge::judge_admission(input, usual, rules);
  if (collectives || !newcomers.fabrics.empty())
    remarks.emplace_back("Collectives between nodes are no part of an admission: gpugauge fleet reads them.");
  remarks.insert(remarks.end(), newcomers.remarks.begin(), newcomers.remarks.end());
  made.remarks.insert(made.remarks.end(), remarks.begin(), remarks.end());
  return print_verdict(arguments.json ? report::to_json(made) : report::draw(made, report::terminal(1)),
                       static_cast<int>(made.outcome.code));
}

}  // namespace

void add_fleet_admit(CLI::App& fleet, Action& action) {
  CLI::App* command = fleet.add_subcommand(
      "admit", "Judge a newcomer by the nodes that are there: is it like them, and is its stack?");
  command->footer(admit_footer);
  auto arguments = std::make_shared<FleetAdmitArguments>();
  reads(command
            ->add_option(
                "runs", arguments->paths,
                "Run files of the newcomer, or folders with them; a second run of a device confirms what the "
                "first left in doubt")
            ->required(),
        "RUN", Reads::runs);
  reads(
      command
          ->add_option(
              "--against", arguments->against,
              "The fleet: run files, folders or patterns in quotes (may be repeated), or one history: a file "
              "of SQLite, or postgresql://...")
          ->required()
          ->allow_extra_args(false),
      "PATH|STORE", Reads::runs);
  command
      ->add_option("--night", arguments->night,
                   "Of a history: this UTC day, or all from one (or a time of it) to another (default: the "
                   "newest night)")
      ->type_name("DAY|FROM..TO");
  command->add_flag("--by-folder", arguments->by_folder,
                    "A node is the first folder below the given one (DIR/node7/run.json), whatever its boot: "
                    "for hosts, where boots are no nodes; a history has the names that ingest gave");
  add_policy_options(*command, arguments->policy, "the fleet");
  add_exit_style_option(*command);
  command->add_flag("--json", arguments->json, "JSON on standard output instead of the text");
  command->callback([arguments, &action] { action = [arguments] { return admit(*arguments); }; });
}

}  // namespace gpugauge::cli
