// A finding in the reports of the doctor and of its questions: docs/schema/doctor.schema.json, $defs/finding.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "stack/rules/finding.hpp"

namespace gpugauge::report {

/// An object of $defs/finding.
nlohmann::ordered_json json_of(const stack::Finding& finding);

}  // namespace gpugauge::report
