// Sample files as JSON values, for the readers and writers that embed them.
#pragma once

#include <nlohmann/json.hpp>

#include "result/object_reader.hpp"
#include "result/samples.hpp"

namespace gpugauge::result {

/// Checks the rules of samples.hpp. Throws std::invalid_argument naming the benchmark and the rule.
void validate(const Samples& samples);

Samples samples_from(const nlohmann::json& value, const Place& place);
nlohmann::ordered_json json_of(const Samples& samples);

}  // namespace gpugauge::result
