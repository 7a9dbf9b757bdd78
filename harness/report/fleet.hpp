// The comparison of nodes, for a person and as JSON.
#pragma once

#include <string>

#include "judge/judge_peers.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view fleet_schema = "gpugauge.fleet/1";

/// Nodes with a finding first, then counts and the verdict. `every_node` shows the healthy ones too.
std::string draw(const judge::PeersJudgement& judgement, const Terminal& terminal, bool every_node = false);

/// JSON text (docs/schema/fleet.schema.json).
std::string to_json(const judge::PeersJudgement& judgement);

/// What a launcher is to measure again. One line a device: the name of its node, a tab, the device; where no
/// name is known, its label. One line a set of nodes to measure together: their names with commas between, a
/// tab, the benchmark. Names that no launcher could take (control characters, a comma, '-' in front) are left
/// out.
std::string retest_list(const judge::PeersJudgement& judgement);
/// A sentence on what is left out for its name; "" where nothing is.
std::string left_out_of_retest_list(const judge::PeersJudgement& judgement);
/// A sentence on the lines of that list that name no node; "" where all do.
std::string unnamed_in_retest_list(const judge::PeersJudgement& judgement);

/// "stack.driver.version: 580.65.06 on 11 of 12 runs; 575.57.08 on node-7": one line. A fact that runs
/// lack is "absent" on them. Without a majority: "...: no majority among 12 runs: 95 on 4, 96 on 4, 97 on 4".
std::string drift_line(const judge::DriftedFact& fact);

}  // namespace gpugauge::report
