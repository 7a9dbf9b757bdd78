// Data of the HTML report's page, as JSON; page/*.js reads it.
#pragma once

#include <nlohmann/json.hpp>

#include "report/reporter.hpp"

namespace gpugauge::report {

nlohmann::ordered_json page_data(const Report& report);
nlohmann::ordered_json page_data(const FleetReport& fleet);
nlohmann::ordered_json page_data(const DiagnosisReport& made);

/// The whole page with this data, self-contained.
std::string page_text(nlohmann::ordered_json data);

/// The course of a device's rounds for charts: telemetry of its GPU, null without any, and each benchmark under
/// a long load.
nlohmann::ordered_json page_time(const std::vector<result::Run>& rounds);
nlohmann::ordered_json page_sustained(const std::vector<result::Run>& rounds);

/// Rounds to six significant digits: all that a page shows, in few bytes.
double six_digits(double value);

nlohmann::ordered_json page_findings(const diagnose::Diagnosis& diagnosis);
nlohmann::ordered_json page_outcome(const judge::Outcome& outcome);

}  // namespace gpugauge::report
