// What the page of the HTML report shows, as JSON; page/*.js reads it.
#pragma once

#include <nlohmann/json.hpp>

#include "report/reporter.hpp"

namespace gpugauge::report {

nlohmann::ordered_json page_data(const Report& report);
nlohmann::ordered_json page_data(const FleetReport& fleet);
nlohmann::ordered_json page_data(const DiagnosisReport& made);

/// The whole page with this data, complete in itself.
std::string page_text(nlohmann::ordered_json data);

/// The nearest number of six significant digits: as much as a page shows, in few bytes.
double six_digits(double value);

nlohmann::ordered_json page_findings(const diagnose::Diagnosis& diagnosis);
nlohmann::ordered_json page_outcome(const judge::Outcome& outcome);

}  // namespace gpugauge::report
