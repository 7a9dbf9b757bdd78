#include "report/diagnosis.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const std::vector<diagnose::Excluded>& excluded) {
  ordered_json out = ordered_json::array();
  for (const diagnose::Excluded& one : excluded) out.push_back({{"cause", one.cause}, {"why", one.why}});
  return out;
}

std::string_view word(diagnose::State state) {
  switch (state) {
    case diagnose::State::healthy:
      return "healthy";
    case diagnose::State::found:
      return "found";
    case diagnose::State::nothing_compared:
      return "nothing compared";
    case diagnose::State::unknown:
      break;
  }
  return "unknown";
}

}  // namespace

ordered_json findings_json(const diagnose::Diagnosis& diagnosis) {
  ordered_json out = ordered_json::array();
  for (const diagnose::Finding& finding : diagnosis.findings) {
    out.push_back({{"cause", finding.cause},
                   {"score", finding.score},
                   {"evidence", finding.evidence},
                   {"excluded", json_of(finding.excluded)},
                   {"unproven", json_of(finding.unproven)},
                   {"next", finding.next}});
    if (!finding.doubt.empty()) out.back()["doubt"] = finding.doubt;
  }
  return out;
}

std::string to_json(const diagnose::Diagnosis& diagnosis) {
  ordered_json scores = ordered_json::array();
  for (const diagnose::Finding& finding : diagnosis.findings)
    scores.push_back({{"cause", finding.cause},
                      {"score", finding.score},
                      {"evidence", finding.from_evidence},
                      {"pattern", finding.from_pattern},
                      {"confident", finding.score >= diagnose::confident}});
  ordered_json needed = ordered_json::array();
  for (const diagnose::Needed& one : diagnosis.needed)
    needed.push_back({{"cause", one.cause}, {"question", one.question}});
  ordered_json questions = ordered_json::array();
  for (const diagnose::Question& one : diagnosis.questions)
    questions.push_back({{"cause", one.cause}, {"other", one.other}, {"question", one.question}});
  ordered_json alike = ordered_json::array();
  for (const diagnose::Alike& one : diagnosis.alike)
    alike.push_back({{"cause", one.cause},
                     {"likeness", one.likeness},
                     {"shared", one.shared},
                     {"source", one.source},
                     {"established", one.established}});
  return result::dump_json({{"schema", diagnosis_schema},
                            {"state", word(diagnosis.state)},
                            {"sentence", diagnosis.sentence},
                            {"findings", findings_json(diagnosis)},
                            {"scores", std::move(scores)},
                            {"excluded_causes", json_of(diagnosis.excluded)},
                            {"unproven_causes", json_of(diagnosis.unproven)},
                            {"needed", std::move(needed)},
                            {"questions", std::move(questions)},
                            {"alike", std::move(alike)}});
}

}  // namespace gpugauge::report
