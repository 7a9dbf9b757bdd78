// Compares every kernel with every expectation. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "stack/codegen/expectation.hpp"
#include "stack/codegen/kernel_code.hpp"

namespace gpugauge::stack {

/// as_declared: every expectation holds. broken: one does not. undeclared: none names it.
enum class CodeState { as_declared, broken, undeclared };

/// The result for one kernel body on one architecture.
struct CodeRow {
  KernelCode code;                           ///< as it was read
  CodeState state = CodeState::as_declared;  ///< see review()
  /// One clause each; for an undeclared kernel, violations of the rules for every kernel.
  std::vector<std::string> problems;
  std::vector<std::string> proofs;  ///< "128 HMMA.16816.F32.BF16": declared instructions that were found
};

/// The result for every kernel of the files, and expectations without a match.
struct CodeReview {
  std::vector<CodeRow> rows;           ///< sorted by name, then architecture
  std::vector<std::string> unmatched;  ///< expectations that name no kernel here: "origin: 'pattern'"
  /// Kernels that lack code for a declared architecture although other kernels here have it: "origin: 'name'
  /// on sm_90a".
  std::vector<std::string> unmet;
  std::vector<std::string>
      not_built;       ///< "origin: 'pattern' on sm_90a": no kernel here has that architecture
  int foreign = 0;     ///< kernels of other projects, if those are not judged
  int broken = 0;      ///< rows in state `broken`
  int undeclared = 0;  ///< rows in state `undeclared`
};

/// Which kernels are judged. A family of this project also holds kernels of libraries that it instantiates.
enum class Kernels { of_this_project, all };

/// On an architecture that none of its expectations covers, a kernel must have an empty body, left by the
/// architecture's guard. If its code was not listed, it is broken. An undeclared kernel must not spill or use
/// local memory. A violation is reported, but the state stays `undeclared`.
CodeReview review(const std::vector<KernelCode>& kernels, const std::vector<Expectation>& expectations,
                  Kernels judged);

std::string_view to_string(CodeState state);  ///< "as declared", "broken", "undeclared"

}  // namespace gpugauge::stack
