// What is read from the lines of a log alone.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "diagnose/diagnose.hpp"

namespace gpugauge::diagnose {

using LogLines = std::vector<std::string>;  ///< of a log, in their order

/// The diagnosis of an observation that holds these lines and nothing else.
inline Diagnosis of_log(const LogLines& lines) {
  return diagnose(parse_observation(nlohmann::json{{"log", lines}}.dump(), "log"));
}

/// The best finding's cause; "" where nothing is named.
inline std::string best_of(const LogLines& lines) {
  const Diagnosis diagnosis = of_log(lines);
  return diagnosis.findings.empty() ? "" : diagnosis.findings.front().cause;
}

/// The cause's score; 0 where it is not named.
inline double score_of(const Diagnosis& diagnosis, const std::string& cause) {
  for (const Finding& finding : diagnosis.findings)
    if (finding.cause == cause) return finding.score;
  return 0;
}

/// The lines, and one more at their end.
inline LogLines with(LogLines lines, const std::string& line) {
  lines.push_back(line);
  return lines;
}

}  // namespace gpugauge::diagnose
