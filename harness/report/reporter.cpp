#include "report/reporter.hpp"

#include <algorithm>
#include <array>

#include "report/diagnosis.hpp"
#include "report/fleet.hpp"
#include "report/json.hpp"

namespace gpugauge::report {
namespace {

constexpr std::array all{
    Reporter{"json", "everything, for a program", json_text},
    Reporter{"junit", "JUnit XML, for a CI server", junit_text},
    Reporter{"markdown", "a page for a job summary or an issue", markdown_text},
    Reporter{"github", "annotations of a GitHub workflow, the worst ten", annotations_text, true},
    Reporter{"openmetrics", "a text file for node_exporter", openmetrics_text},
    Reporter{"html", "one page for a browser, complete in itself", html_text},
};

struct ToJson {
  std::string operator()(const Report* report) const { return to_json(*report); }
  std::string operator()(const FleetReport* fleet) const { return to_json(fleet->judgement, fleet->causes); }
  std::string operator()(const DiagnosisReport* made) const { return to_json(made->diagnosis); }
};

}  // namespace

std::span<const Reporter> reporters() {
  return all;
}

const Reporter* find_reporter(std::string_view kind) {
  const auto* found =
      std::find_if(all.begin(), all.end(), [&](const Reporter& one) { return one.kind == kind; });
  return found == all.end() ? nullptr : found;
}

std::vector<std::string_view> reporter_kinds() {
  std::vector<std::string_view> out;
  out.reserve(all.size());
  for (const Reporter& one : all) out.push_back(one.kind);
  return out;
}

std::string json_text(const Subject& subject) {
  return std::visit(ToJson{}, subject);
}

}  // namespace gpugauge::report
