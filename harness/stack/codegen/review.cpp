#include "stack/codegen/review.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace gpugauge::stack {
namespace {

/// The most instructions of an empty body: the stack pointer's load, a guard and the exit.
constexpr int empty_instructions = 8;
/// ptxas of CUDA 13.0 starts every kernel for 8.7 with these: they clear the convergence barriers.
constexpr int prologue_of_87 = 20;

void add_proofs(const Counts& counts, const Opcodes& opcodes, std::vector<std::string>& proofs) {
  for (const auto& [pattern, least] : counts)
    if (const int found = count(opcodes, pattern); found > 0)
      proofs.push_back(fmt::format("{} {}", found, pattern));
}

/// Kernel name -> its architectures, for the kernels that an expectation names.
using Named = std::map<std::string, std::set<std::string>>;

bool one_is_meant(std::string_view word, const std::set<std::string>& architectures) {
  return std::any_of(architectures.begin(), architectures.end(),
                     [&](const std::string& one) { return means(word, one); });
}

/// Adds declared architectures without code; `built` holds the architectures of all kernels.
void add_missing(const Expectation& expectation, const Named& named, const std::set<std::string>& built,
                 CodeReview& out) {
  for (const std::string& word : expectation.architectures) {
    if (!one_is_meant(word, built)) {
      out.not_built.push_back(fmt::format("{}: '{}' on {}", expectation.origin, expectation.kernel, word));
      continue;
    }
    for (const auto& [name, architectures] : named)
      if (!one_is_meant(word, architectures))
        out.unmet.push_back(fmt::format("{}: '{}' on {}", expectation.origin, name, word));
  }
}

CodeRow judge(const KernelCode& code, const std::vector<Expectation>& expectations,
              std::vector<Named>& named_by) {
  CodeRow row;
  row.code = code;
  bool named = false;
  bool covered = false;
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    const Expectation& expectation = expectations[i];
    if (!names(expectation, code)) continue;
    named = true;
    named_by[i][code.name].insert(code.architecture);
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
  std::vector<Named> named_by(expectations.size());
  std::set<std::string> built;
  for (const KernelCode& code : kernels) {
    built.insert(code.architecture);
    if (judged == Kernels::of_this_project && is_foreign(code.symbol)) {
      ++out.foreign;
      continue;
    }
    out.rows.push_back(judge(code, expectations, named_by));
    out.broken += out.rows.back().state == CodeState::broken ? 1 : 0;
    out.undeclared += out.rows.back().state == CodeState::undeclared ? 1 : 0;
  }
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    if (named_by[i].empty())
      out.unmatched.push_back(fmt::format("{}: '{}'", expectations[i].origin, expectations[i].kernel));
    else
      add_missing(expectations[i], named_by[i], built, out);
  }
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
