// A diagnosis for a person and for a program.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "diagnose/diagnose.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view diagnosis_schema = "gpugauge.diagnosis/1";

/// One screen. Each finding has its score, evidence, exclusions, what is unproven, and the next command. Open
/// questions follow. `title` stands above; "" for none.
std::string draw(const diagnose::Diagnosis& diagnosis, const Terminal& terminal, std::string_view title = {});

/// JSON text, schema "gpugauge.diagnosis/1" (docs/schema/diagnosis.schema.json).
std::string to_json(const diagnose::Diagnosis& diagnosis);

/// Only its "findings", best first: cause, score, evidence, excluded, unproven, next.
nlohmann::ordered_json findings_json(const diagnose::Diagnosis& diagnosis);

/// The given causes (Diagnosis::excluded, or unproven) that no finding lists next to itself.
std::vector<diagnose::Excluded> beside_findings(const std::vector<diagnose::Excluded>& causes,
                                                const diagnose::Diagnosis& diagnosis);

/// "sw_power_cap (0.91, confident): its title".
std::string in_one_line(const diagnose::Finding& finding);

/// "reads like known reports of sw_power_cap (likeness 0.41, no evidence; shared: a; b): owner/name#12: what was found".
std::string in_one_line(const diagnose::Alike& alike);

/// 0: nothing is wrong; 1: at least one finding; 3: something is wrong, but no cause can be named.
int exit_code(const diagnose::Diagnosis& diagnosis);

}  // namespace gpugauge::report
