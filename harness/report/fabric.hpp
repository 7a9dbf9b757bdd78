// Nodes that were measured together, for a person and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "judge/fabric.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

/// What was found, then the pairs as a table of nodes by nodes where they are few, else the slowest sets.
std::string draw(const judge::FabricJudgement& fabric, const Terminal& terminal);

/// docs/schema/fleet.schema.json, $defs/fabric.
nlohmann::ordered_json json_of(const judge::FabricJudgement& fabric);

}  // namespace gpugauge::report
