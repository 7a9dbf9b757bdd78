// The comparison of nodes, for a person and as JSON.
#pragma once

#include <string>

#include "judge/judge_peers.hpp"
#include "report/node_causes.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view fleet_schema = "gpugauge.fleet/1";

/// Nodes with a finding first, each of the first with its causes, then counts and the verdict. `every_node`
/// also shows healthy nodes.
std::string draw(const judge::PeersJudgement& judgement, const Terminal& terminal, bool every_node = false,
                 const CausesOfNodes& causes = {});

/// JSON text (docs/schema/fleet.schema.json).
std::string to_json(const judge::PeersJudgement& judgement, const CausesOfNodes& causes = {});

/// What a launcher must measure again. One line per device: the node's name, a tab, the device. A node
/// without a name is given by its label. One line per set of nodes to measure together: their names separated
/// by commas, a tab, the benchmark. Leaves out names that no launcher accepts (control characters, a comma, a
/// leading '-').
std::string retest_list(const judge::PeersJudgement& judgement);
/// A sentence on devices and sets left out because of their names; "" if there are none.
std::string left_out_of_retest_list(const judge::PeersJudgement& judgement);
/// A sentence on lines of that list that name no node; "" if all do.
std::string unnamed_in_retest_list(const judge::PeersJudgement& judgement);

/// One line: "stack.driver.version: 580.65.06 on 11 of 12 runs; 575.57.08 on node-7". A fact that runs lack
/// is "absent" on them. Without a majority: "...: no majority among 12 runs: 95 on 4, 96 on 4, 97 on 4".
std::string drift_line(const judge::DriftedFact& fact);

}  // namespace gpugauge::report
