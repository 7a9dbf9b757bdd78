// Findings in short, for the tests of the rules.
#pragma once

#include <string>
#include <vector>

#include "stack/rules/finding.hpp"

namespace gpugauge::stack {

/// "failure umd_kmd_mismatch", in order.
inline std::vector<std::string> said(const Findings& findings) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings)
    lines.push_back(std::string(to_string(finding.severity)) + " " + finding.cause);
  return lines;
}

}  // namespace gpugauge::stack
