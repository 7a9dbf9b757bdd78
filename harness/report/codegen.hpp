// What the machine code of the kernels is, against what is declared: a table, and JSON.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "stack/codegen/review.hpp"

namespace gpugauge::report {

/// Kernels that were read and held against what is declared of them.
struct CodegenReport {
  stack::CodeReview review;               ///< every kernel with its state; what no kernel answers to
  std::vector<std::string> files;         ///< that were read
  std::vector<std::string> without_code;  ///< files that should hold machine code, and do not
  bool complete = true;  ///< an expectation that names no kernel, or one without code for it, counts
  /// A declared architecture that no file holds counts; else it was not built, which is said.
  bool every_architecture = false;
  bool strict = false;  ///< a kernel without expectation counts
};

/// True when something counts against the code.
bool failed(const CodegenReport& report);
/// True when nothing does, and every file that should hold code was judged.
bool passed(const CodegenReport& report);
/// One line a problem, the table of kernels, the outcome last. The text ends with a newline.
std::string draw(const CodegenReport& report, const Terminal& terminal);
std::string to_json(const CodegenReport& report);  ///< JSON text, schema "gpugauge-codegen-report-1".

}  // namespace gpugauge::report
