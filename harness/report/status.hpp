// What the last verdicts still say, for a person, for a monitor and as JSON.
#pragma once

#include <string>

#include "judge/exit_style.hpp"
#include "judge/standing.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view status_schema = "gpugauge.status/1";

/// One line per device: verdict, age, first finding, reason. Nagios gets a line with its status word first;
/// node-problem-detector gets only one short line.
std::string draw(const judge::Status& status, judge::ExitStyle style, const Terminal& terminal);

/// JSON text (docs/schema/status.schema.json).
std::string to_json(const judge::Status& status);

}  // namespace gpugauge::report
