// What `gpugauge fleet` and `gpugauge fleet admit` share: many files, read on every core.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/run_files.hpp"
#include "judge/judge_peers.hpp"
#include "store/store.hpp"

namespace gpugauge::cli {

/// What became of many files.
struct ReadRuns {
  std::vector<judge::PeerRound> rounds;     ///< those that were read, in the order of the files
  std::vector<judge::UnreadFile> unread;    ///< those that could not be, by label
  std::vector<judge::FabricInput> fabrics;  ///< from sample files of ranks, and lists of measurements
  std::vector<std::string> remarks;         ///< sentences: files that are no runs, collectives left out
};

/// Called with each run that was read, by several threads at once.
using TakeRun = std::function<void(const judge::PeerRound&, const result::Run&)>;

/// Reads and reduces files on every core; each thread holds one run at a time. Beside run files it takes the
/// sample files that the ranks of a collective leave, and lists of measurements (judge::parse_fabric).
ReadRuns read_runs(const std::vector<FoundFile>& files, judge::PeerCollector& collector,
                   const TakeRun& take = {});

/// The history among what was given as runs: a URL, a file of SQLite, or a name that ends in .sqlite or .db.
/// "" where all of them are run files, folders and patterns. Throws result::UsageError for a history beside
/// anything else.
std::string history_among(const std::vector<std::string>& given);

/// The night that was asked for, or the newest one where `asked` is "", without what is dated a day later
/// than now. Throws result::UsageError for a history without a run.
store::NewestNight night_of(store::Store& history, const std::string& asked);

/// A sentence on the runs that a night leaves out since they are dated later than now; "" where there are
/// none.
std::string dated_later(const store::NewestNight& night);

/// As where folders name the nodes: a host of a history is told apart by its name, and not by its boot.
void name_hosts(std::vector<judge::PeerRound>& rounds);

/// A sentence on devices that a night lacks, with the option that takes them; "" where there are none.
std::string other_devices(const store::WiderNight& wider);

void add_fleet_admit(CLI::App& fleet, Action& action);

}  // namespace gpugauge::cli
