// Compares the machine code of kernels with its declared expectations: a table, and JSON.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "stack/codegen/review.hpp"

namespace gpugauge::report {

/// Kernels that were read and compared with their declarations.
struct CodegenReport {
  /// Every kernel with its state, and expectations that no kernel matches.
  stack::CodeReview review;
  std::vector<std::string> files;         ///< files that were read
  std::vector<std::string> without_code;  ///< files that should hold machine code but do not
  bool complete = true;  ///< count expectations that name no kernel, or one without code for them
  /// Counts a declared architecture that no file holds as a fault; otherwise the report says it was not
  /// built.
  bool every_architecture = false;
  bool strict = false;  ///< count a kernel without an expectation
};

/// True if the report has a fault that counts.
bool failed(const CodegenReport& report);
/// True if no fault counts and every file that should hold code was judged.
bool passed(const CodegenReport& report);
/// One line per problem, then the table of kernels, then the outcome. Ends with a newline.
std::string draw(const CodegenReport& report, const Terminal& terminal);
std::string to_json(const CodegenReport& report);  ///< JSON text, schema "gpugauge-codegen-report-1".

}  // namespace gpugauge::report
