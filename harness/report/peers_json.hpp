// A verdict among nodes as JSON, shared by the reports of fleets and admissions.
#pragma once

#include <nlohmann/json.hpp>

#include "judge/verdict.hpp"

namespace gpugauge::report {

/// docs/schema/fleet.schema.json defines it as "verdict"; admission.schema.json refers to that.
nlohmann::ordered_json peer_verdict_json(const judge::Verdict& verdict);

}  // namespace gpugauge::report
