// The report for a machine, schema "gpugauge.report/1" (docs/schema/report.schema.json).
#pragma once

#include <string>

#include "report/summary.hpp"

namespace gpugauge::report {

inline constexpr std::string_view report_schema = "gpugauge.report/1";

/// JSON text: exit code, sentence, stack, and per device the verdicts, measured values, files and remarks.
std::string to_json(const Report& report);

}  // namespace gpugauge::report
