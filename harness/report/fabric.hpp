// Nodes that were measured together, for a person and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "judge/fabric.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

/// The findings, then the pairs as a node-by-node table if they are few, else the slowest sets.
std::string draw(const judge::FabricJudgement& fabric, const Terminal& terminal);

/// docs/schema/fleet.schema.json, $defs/fabric.
nlohmann::ordered_json json_of(const judge::FabricJudgement& fabric);

}  // namespace gpugauge::report
