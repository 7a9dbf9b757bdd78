// The known reports (harness/diagnose/reports), and how a diagnosis of them is counted.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "diagnose/diagnose.hpp"
#include "result/file.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::diagnose {

/// What a report established.
struct Case {
  std::string id;
  std::string kind;  ///< cause, healthy, not_the_machine, unknown
  std::set<std::string> accept;
  Observation observation;
};

inline std::filesystem::path reports_folder() {
  return std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "harness" / "diagnose" / "reports";
}

/// The given reports, or those of a folder that has the same shape.
inline std::vector<Case> read_cases(const std::filesystem::path& folder = reports_folder()) {
  const std::filesystem::path expected = folder / "expected.json";
  std::vector<Case> out;
  const nlohmann::json table = result::parse_json(result::read_file(expected), expected.string());
  for (const auto& [id, entry] : table.items()) {
    const std::filesystem::path file = folder / "observations" / (id + ".json");
    out.push_back({id, entry.at("kind"), entry.at("accept").get<std::set<std::string>>(),
                   parse_observation(result::read_file(file), file.string())});
  }
  return out;
}

/// How one diagnosis is counted.
struct Count {
  bool first = false;            ///< top-1 right
  bool third = false;            ///< right within the three
  bool confident_wrong = false;  ///< any finding at `confident` or above that is not accepted
  bool false_alarm = false;      ///< a finding on a healthy case
};

inline Count count(const Case& one, const Diagnosis& diagnosis) {
  Count out;
  std::vector<std::string> causes;
  for (const Finding& finding : diagnosis.findings) {
    causes.push_back(finding.cause);
    if (finding.score >= confident && !one.accept.contains(finding.cause)) out.confident_wrong = true;
  }
  const auto accepted = [&](const std::string& cause) { return one.accept.contains(cause); };
  // Where no answer is accepted, silence is the right one.
  if (one.kind == "healthy" || one.kind == "unknown" || one.accept.empty()) {
    out.first = out.third = std::all_of(causes.begin(), causes.end(), accepted);
    out.false_alarm = one.kind == "healthy" && !causes.empty();
  } else {
    out.first = !causes.empty() && accepted(causes.front());
    out.third = std::any_of(causes.begin(), causes.end(), accepted);
  }
  return out;
}

/// Sums over cases.
struct Tally {
  int cases = 0;
  int first = 0;
  int third = 0;
  int confident_wrong = 0;
  int false_alarms = 0;

  void add(const Count& one) {
    ++cases;
    first += one.first ? 1 : 0;
    third += one.third ? 1 : 0;
    confident_wrong += one.confident_wrong ? 1 : 0;
    false_alarms += one.false_alarm ? 1 : 0;
  }
  void add(const Tally& other) {
    cases += other.cases;
    first += other.first;
    third += other.third;
    confident_wrong += other.confident_wrong;
    false_alarms += other.false_alarms;
  }
};

/// "K01: wrong_cause 0.81, other 0.40".
inline std::string shown(const Case& one, const Diagnosis& diagnosis) {
  std::string out = one.id + " (" + one.kind + "):";
  for (const Finding& finding : diagnosis.findings)
    out += " " + finding.cause + " " + std::to_string(finding.score).substr(0, 4);
  if (diagnosis.findings.empty()) out += " none";
  return out;
}

}  // namespace gpugauge::diagnose
