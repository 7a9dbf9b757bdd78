// The comparison of nodes, for a person and as JSON.
#pragma once

#include <string>

#include "judge/judge_peers.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view fleet_schema = "gpugauge.fleet/1";

/// Nodes with a finding first, then counts and the verdict. `every_node` shows the healthy ones too.
std::string draw(const judge::PeersJudgement& judgement, const Terminal& terminal, bool every_node = false);

std::string to_json(const judge::PeersJudgement& judgement);

}  // namespace gpugauge::report
