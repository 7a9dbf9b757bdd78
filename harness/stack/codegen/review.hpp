// Every kernel against every expectation: pure.
#pragma once

#include <string>
#include <vector>

#include "stack/codegen/expectation.hpp"
#include "stack/codegen/kernel_code.hpp"

namespace gpugauge::stack {

/// as_declared: every expectation holds. broken: one does not. undeclared: none names it.
enum class CodeState { as_declared, broken, undeclared };

/// One body of a kernel on one architecture, judged.
struct CodeRow {
  KernelCode code;                           ///< as it was read
  CodeState state = CodeState::as_declared;  ///< see review()
  std::vector<std::string> problems;  ///< clauses; of an undeclared kernel what every kernel is held to
  std::vector<std::string> proofs;    ///< "128 HMMA.16816.F32.BF16": declared instructions that were found
};

/// Every kernel of the files, and what the expectations did not find.
struct CodeReview {
  std::vector<CodeRow> rows;           ///< sorted by name, then architecture
  std::vector<std::string> unmatched;  ///< expectations that name no kernel here: "origin: 'pattern'"
  /// Kernels without code for a declared architecture that other kernels here have: "origin: 'name' on
  /// sm_90a".
  std::vector<std::string> unmet;
  std::vector<std::string>
      not_built;       ///< "origin: 'pattern' on sm_90a": no kernel here has that architecture
  int foreign = 0;     ///< kernels of other projects, where those are not judged
  int broken = 0;      ///< rows in that state
  int undeclared = 0;  ///< rows in that state
};

/// Which kernels are judged: a family of this project also holds those of libraries that it instantiates.
enum class Kernels { of_this_project, all };

/// A kernel on an architecture that none of its expectations covers must be an empty body: code that the
/// architecture's guard left out; one whose code was not listed is broken. An undeclared kernel is held to no
/// spills and no local memory, and its breach is said but stays `undeclared`.
CodeReview review(const std::vector<KernelCode>& kernels, const std::vector<Expectation>& expectations,
                  Kernels judged);

std::string_view to_string(CodeState state);  ///< "as declared", "broken", "undeclared"

}  // namespace gpugauge::stack
