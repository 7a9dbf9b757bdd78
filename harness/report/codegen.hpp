// What the machine code of the kernels is, against what is declared: a table, and JSON.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "stack/codegen/review.hpp"

namespace gpugauge::report {

struct CodegenReport {
  stack::CodeReview review;
  std::vector<std::string> files;         ///< that were read
  std::vector<std::string> without_code;  ///< files that hold no machine code
  bool complete = true;                   ///< an expectation that names no kernel counts
  bool strict = false;                    ///< a kernel without expectation counts
};

/// True when something counts against the code.
bool failed(const CodegenReport& report);
std::string draw(const CodegenReport& report, const Terminal& terminal);
std::string to_json(const CodegenReport& report);

}  // namespace gpugauge::report
