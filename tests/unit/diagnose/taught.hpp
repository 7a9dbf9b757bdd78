// What a made-up report is answered with, for the tests of what reports taught.
#pragma once

#include <string>
#include <vector>

#include "diagnose/diagnose.hpp"

namespace gpugauge::diagnose::made_up {

/// The findings of an observation whose text is put into braces.
inline std::vector<Finding> of(const std::string& text) {
  return diagnose(parse_observation("{" + text + "}", "a made-up report")).findings;
}

/// The first finding's cause, "" where there is none.
inline std::string best(const std::string& text) {
  const std::vector<Finding> found = of(text);
  return found.empty() ? "" : found.front().cause;
}

/// The score of the finding with this cause, 0 where it is none.
inline double score(const std::string& text, const std::string& cause) {
  for (const Finding& finding : of(text))
    if (finding.cause == cause) return finding.score;
  return 0;
}

}  // namespace gpugauge::diagnose::made_up
