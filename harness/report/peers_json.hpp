// A verdict among nodes as JSON: the same in the report of a fleet and in that of an admission.
#pragma once

#include <nlohmann/json.hpp>

#include "judge/verdict.hpp"

namespace gpugauge::report {

/// docs/schema/fleet.schema.json has it as "verdict", and admission.schema.json points there.
nlohmann::ordered_json peer_verdict_json(const judge::Verdict& verdict);

}  // namespace gpugauge::report
