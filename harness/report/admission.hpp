// A fleet's judgement of a newcomer, for a person and as JSON.
#pragma once

#include <string>

#include "judge/admit.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view admission_schema = "gpugauge.admission/1";

/// For each newcomer: what it was compared with, how its stack differs, and what stands out; then the
/// outcome.
std::string draw(const judge::Admissions& admissions, const Terminal& terminal);

/// JSON text (docs/schema/admission.schema.json).
std::string to_json(const judge::Admissions& admissions);

}  // namespace gpugauge::report
