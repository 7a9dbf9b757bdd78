#include "stack/codegen/review.hpp"

#include <fmt/format.h>

namespace gpugauge::stack {
namespace {

/// What an empty body takes at most: the stack pointer's load, a guard and the exit.
constexpr int empty_instructions = 8;
/// What ptxas of CUDA 13.0 sets before every kernel for 8.7: it clears the convergence barriers.
constexpr int prologue_of_87 = 20;

void add_proofs(const Counts& counts, const Opcodes& opcodes, std::vector<std::string>& proofs) {
  for (const auto& [pattern, least] : counts)
    if (const int found = count(opcodes, pattern); found > 0)
      proofs.push_back(fmt::format("{} {}", found, pattern));
}

CodeRow judge(const KernelCode& code, const std::vector<Expectation>& expectations, std::vector<bool>& used) {
  CodeRow row;
  row.code = code;
  bool named = false;
  bool covered = false;
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    const Expectation& expectation = expectations[i];
    if (!names(expectation, code)) continue;
    named = true;
    used[i] = true;
    if (!covers(expectation, code.architecture)) continue;
    covered = true;
    for (std::string& breach : breaches(expectation, code)) row.problems.push_back(std::move(breach));
    add_proofs(expectation.least, code.opcodes, row.proofs);
    for (const auto& [pattern, least] : expectation.loop_least)
      if (!expectation.least.contains(pattern)) add_proofs({{pattern, least}}, code.opcodes, row.proofs);
  }
  if (!named) {
    row.state = CodeState::undeclared;
    row.problems = breaches(Expectation{}, code);
    return row;
  }
  if (!covered && !code.has_code) row.problems.emplace_back("its machine code was not listed");
  if (!covered && code.has_code &&
      code.instructions > empty_instructions + (code.architecture == "sm_87" ? prologue_of_87 : 0))
    row.problems.push_back(fmt::format(
        "{} instructions on an architecture that its expectations do not cover", code.instructions));
  if (!row.problems.empty()) row.state = CodeState::broken;
  return row;
}

}  // namespace

CodeReview review(const std::vector<KernelCode>& kernels, const std::vector<Expectation>& expectations,
                  Kernels judged) {
  CodeReview out;
  std::vector<bool> used(expectations.size(), false);
  for (const KernelCode& code : kernels) {
    if (judged == Kernels::of_this_project && is_foreign(code.symbol)) {
      ++out.foreign;
      continue;
    }
    out.rows.push_back(judge(code, expectations, used));
    out.broken += out.rows.back().state == CodeState::broken ? 1 : 0;
    out.undeclared += out.rows.back().state == CodeState::undeclared ? 1 : 0;
  }
  for (std::size_t i = 0; i < expectations.size(); ++i)
    if (!used[i])
      out.unmatched.push_back(fmt::format("{}: '{}'", expectations[i].origin, expectations[i].kernel));
  return out;
}

std::string_view to_string(CodeState state) {
  switch (state) {
    case CodeState::as_declared:
      return "as declared";
    case CodeState::broken:
      return "broken";
    case CodeState::undeclared:
      break;
  }
  return "undeclared";
}

}  // namespace gpugauge::stack
