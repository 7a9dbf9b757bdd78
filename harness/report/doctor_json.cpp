#include <nlohmann/json.hpp>

#include "report/doctor.hpp"
#include "report/finding_json.hpp"
#include "result/build.hpp"
#include "result/json_array.hpp"

namespace gpugauge::report {

using nlohmann::ordered_json;

ordered_json json_of(const stack::Finding& finding) {
  return {{"cause", finding.cause},       {"severity", stack::to_string(finding.severity)},
          {"title", finding.title},       {"explanation", finding.explanation},
          {"evidence", finding.evidence}, {"considered", finding.considered},
          {"next", finding.next},         {"sources", finding.sources},
          {"layers", finding.layers}};
}

std::string to_json(const Doctor& doctor) {
  const DoctorOutcome end = outcome(doctor);
  ordered_json findings = result::array_of(doctor.findings, json_of);
  ordered_json layers = ordered_json::array();
  for (const stack::Layer& layer : doctor.layers)
    layers.push_back({{"layer", layer.name}, {"version", layer.version}, {"detail", layer.detail}});
  const ordered_json out{{"schema", doctor_schema},
                         {"version", result::build().version},
                         {"outcome", {{"exit_code", end.exit_code}, {"sentence", end.sentence}}},
                         {"findings", findings},
                         {"layers", layers},
                         {"inventory", ordered_json::parse(stack::to_json(doctor.inventory))}};
  // Foreign text may be invalid UTF-8; invalid parts become the replacement character.
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gpugauge::report
