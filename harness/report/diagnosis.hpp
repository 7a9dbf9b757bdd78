// A diagnosis for a person and for a program.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "diagnose/diagnose.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view diagnosis_schema = "gpugauge.diagnosis/1";

/// One screen: each finding with its score, what was seen, what it is not, what is not proven, the next
/// command; then what is left open. `title` stands above it; "" for none.
std::string draw(const diagnose::Diagnosis& diagnosis, const Terminal& terminal, std::string_view title = {});

/// JSON text, schema "gpugauge.diagnosis/1" (docs/schema/diagnosis.schema.json).
std::string to_json(const diagnose::Diagnosis& diagnosis);

/// Its "findings" alone, best first: cause, score, evidence, excluded, unproven, next.
nlohmann::ordered_json findings_json(const diagnose::Diagnosis& diagnosis);

/// Those of the causes (Diagnosis::excluded, or unproven) that no finding names beside itself.
std::vector<diagnose::Excluded> beside_findings(const std::vector<diagnose::Excluded>& causes,
                                                const diagnose::Diagnosis& diagnosis);

/// 0: nothing is wrong; 1: at least one finding; 3: something is wrong, and no cause can be named.
int exit_code(const diagnose::Diagnosis& diagnosis);

}  // namespace gpugauge::report
