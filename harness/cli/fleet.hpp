// What `gpugauge fleet` and `gpugauge fleet admit` share: many run files, read on every core.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/run_files.hpp"
#include "judge/judge_peers.hpp"

namespace gpugauge::cli {

struct ReadRuns {
  std::vector<judge::PeerRound> rounds;
  std::vector<judge::UnreadFile> unread;
  std::string left_out;  ///< one sentence about files that are no runs; "" where there are none
};

/// Called with each run that was read, by several threads at once.
using TakeRun = std::function<void(const judge::PeerRound&, const result::Run&)>;

/// Reads and reduces files on every core; each thread holds one run at a time.
ReadRuns read_runs(const std::vector<FoundFile>& files, judge::PeerCollector& collector,
                   const TakeRun& take = {});

void add_fleet_admit(CLI::App& fleet, Action& action);

}  // namespace gpugauge::cli
