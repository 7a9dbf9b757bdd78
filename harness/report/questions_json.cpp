#include <nlohmann/json.hpp>

#include "report/finding_json.hpp"
#include "report/questions.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const std::vector<stack::PairFit>& pairs) {
  ordered_json out = ordered_json::array();
  for (const stack::PairFit& pair : pairs)
    out.push_back({{"first", pair.first},
                   {"second", pair.second},
                   {"fit", stack::to_string(pair.fit)},
                   {"reason", pair.reason},
                   {"limit", pair.limit},
                   {"remedy", pair.remedy},
                   {"sources", pair.sources}});
  return out;
}

ordered_json json_of(const std::vector<stack::Finding>& findings) {
  ordered_json out = ordered_json::array();
  for (const stack::Finding& finding : findings) out.push_back(report::json_of(finding));
  return out;
}

const char* way_word(stack::RunAnswer::Way way) {
  using Way = stack::RunAnswer::Way;
  switch (way) {
    case Way::machine_code:
      return "machine_code";
    case Way::compiled:
      return "compiled";
    case Way::partly:
      return "partly";
    case Way::no:
      return "no";
    case Way::no_gpu_code:
      return "no_gpu_code";
    case Way::unknown:
      break;
  }
  return "unknown";
}

std::string text(const ordered_json& document) {
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const stack::PlanReport& plan) {
  ordered_json steps = ordered_json::array();
  for (const stack::PlanStep& step : plan.steps)
    steps.push_back({{"layer", step.layer},
                     {"from", step.from},
                     {"to", step.to},
                     {"what", step.what},
                     {"why", step.why}});
  return text({{"schema", "gpugauge.plan/1"},
               {"outcome", stack::to_string(plan.outcome)},
               {"sentence", plan.sentence},
               {"limits", plan.limits},
               {"assumptions", plan.assumptions},
               {"pairs", json_of(plan.pairs)},
               {"steps", steps},
               {"findings", json_of(plan.findings)}});
}

std::string to_json(const stack::ImageReport& image) {
  return text({{"schema", "gpugauge.image/1"},
               {"outcome", stack::to_string(image.outcome)},
               {"sentence", image.sentence},
               {"facts", image.facts},
               {"pairs", json_of(image.pairs)},
               {"findings", json_of(image.findings)}});
}

std::string to_json(const BinaryAnswers& binary) {
  const stack::BinaryReport& report = binary.report;
  ordered_json codes = ordered_json::array();
  for (const stack::GpuCode& code : report.codes.all()) codes.push_back(code.text());
  ordered_json needed = ordered_json::array();
  for (const stack::NeededLibrary& library : report.needed)
    needed.push_back({{"soname", library.soname}, {"path", library.path}});
  ordered_json answers = ordered_json::array();
  for (const stack::RunAnswer& answer : binary.answers)
    answers.push_back({{"compute_capability", answer.compute_capability},
                       {"way", way_word(answer.way)},
                       {"uses", answer.uses},
                       {"sentence", answer.sentence},
                       {"first_launch", answer.first_launch}});
  return text({{"schema", "gpugauge.binary/1"},
               {"path", report.path},
               {"kind", stack::to_string(report.kind)},
               {"machine", report.machine},
               {"problem", report.problem},
               {"gpu_code", codes},
               {"runtime", stack::to_string(report.runtime)},
               {"runtime_version", report.runtime_version},
               {"needed", needed},
               {"answers", answers}});
}

}  // namespace gpugauge::report
