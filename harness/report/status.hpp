// What stands of the last verdicts, for a person, for a monitor and as JSON.
#pragma once

#include <string>

#include "judge/exit_style.hpp"
#include "judge/standing.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view status_schema = "gpugauge.status/1";

/// One line a device: verdict, age, first finding, reason. For Nagios a line with its word stands before
/// them; node-problem-detector gets one short line only.
std::string draw(const judge::Status& status, judge::ExitStyle style, const Terminal& terminal);

/// JSON text (docs/schema/status.schema.json).
std::string to_json(const judge::Status& status);

}  // namespace gpugauge::report
