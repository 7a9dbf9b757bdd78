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

/// "stack.driver.version: 580.65.06 on 11 of 12 runs; 575.57.08 on node-7": one line.
std::string drift_line(const judge::DriftedFact& fact);

}  // namespace gpugauge::report
