// Checks a kernel's machine code against an expectation.
#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/pattern.hpp"
#include "stack/codegen/expectation.hpp"

namespace gpugauge::stack {
namespace {

/// Bytes that an access moves per thread: "LDG.E.128" 16, "LDG.E.U16" 2, without a width 4.
int access_bytes(std::string_view opcode) {
  for (std::size_t at = opcode.find('.'); at != std::string_view::npos; at = opcode.find('.', at + 1)) {
    std::string_view part = opcode.substr(at + 1, opcode.find('.', at + 1) - at - 1);
    if (part.starts_with('U') || part.starts_with('S')) part.remove_prefix(1);
    for (const int bits : {8, 16, 64, 128, 256})
      if (part == fmt::format("{}", bits)) return bits / 8;
  }
  return 4;
}

void judge_vectors(const Expectation& expectation, const KernelCode& code, std::vector<std::string>& out) {
  struct Direction {
    std::string_view name;
    std::array<std::string_view, 2> opcodes;
  };
  // LDGSTS copies from global to shared memory: a load.
  constexpr std::array directions{Direction{"load from", {"LDG", "LDGSTS"}},
                                  Direction{"store to", {"STG", "STG"}}};
  bool any = false;
  for (const Direction& direction : directions) {
    int widest = 0;
    for (const auto& [opcode, times] : code.opcodes)
      if (opcode_matches(direction.opcodes[0], opcode) || opcode_matches(direction.opcodes[1], opcode))
        widest = std::max(widest, access_bytes(opcode));
    any = any || widest > 0;
    if (widest > 0 && widest < *expectation.vector_bytes)
      out.push_back(fmt::format("the widest {} global memory moves {} bytes, and {} are declared",
                                direction.name, widest, *expectation.vector_bytes));
  }
  if (!any) out.push_back("no access to global memory, and accesses of a declared width are expected");
}

/// How many of the wanted instructions a loop holds: the sum over patterns, each counted up to its minimum.
int held(const CodeLoop& loop, const Counts& wanted) {
  int sum = 0;
  for (const auto& [pattern, least] : wanted) sum += std::min(least, count(loop.opcodes, pattern));
  return sum;
}

double share_of(const CodeLoop& loop, const Counts& wanted) {
  int sum = 0;
  for (const auto& [opcode, times] : loop.opcodes)
    if (std::any_of(wanted.begin(), wanted.end(),
                    [&name = opcode](const auto& row) { return opcode_matches(row.first, name); }))
      sum += times;
  return loop.instructions > 0 ? static_cast<double>(sum) / loop.instructions : 0;
}

void judge_loop(const Expectation& expectation, const KernelCode& code, std::vector<std::string>& out) {
  const CodeLoop* best = nullptr;
  for (const CodeLoop& loop : code.loops) {
    const int more =
        best == nullptr ? 1 : held(loop, expectation.loop_least) - held(*best, expectation.loop_least);
    if (more > 0 ||
        (more == 0 && share_of(loop, expectation.loop_least) > share_of(*best, expectation.loop_least)))
      best = &loop;
  }
  if (best == nullptr) {
    out.emplace_back("there is no loop: it was optimised away, or unrolled as a whole");
    return;
  }
  bool complete = true;
  for (const auto& [pattern, least] : expectation.loop_least) {
    const int found = count(best->opcodes, pattern);
    if (found >= least) continue;
    complete = false;
    out.push_back(fmt::format("the loop holds {} {}, and at least {} are declared", found, pattern, least));
  }
  for (const auto& [pattern, most] : expectation.loop_most)
    if (const int found = count(best->opcodes, pattern); found > most)
      out.push_back(fmt::format("the loop holds {} {}, and at most {} are declared", found, pattern, most));
  const double share = share_of(*best, expectation.loop_least);
  if (complete && share < expectation.loop_share)
    out.push_back(
        fmt::format("{:.0f}% of the loop's {} instructions are those declared, and it must be {:.0f}%",
                    100 * share, best->instructions, 100 * expectation.loop_share));
}

}  // namespace

bool opcode_matches(std::string_view pattern, std::string_view opcode) {
  // The pattern must end where a part of the opcode ends: "HMMA" does not match "HMMA2".
  if (result::matches(pattern, opcode)) return true;
  return result::matches(fmt::format("{}.*", pattern), opcode);
}

int count(const Opcodes& opcodes, std::string_view pattern) {
  int sum = 0;
  for (const auto& [opcode, times] : opcodes)
    if (opcode_matches(pattern, opcode)) sum += times;
  return sum;
}

std::vector<std::string> breaches(const Expectation& expectation, const KernelCode& code) {
  std::vector<std::string> out;
  const auto at_most = [&](const char* what, int found, const std::optional<int>& most) {
    if (most && found > *most)
      out.push_back(fmt::format("{} {}, and at most {} are declared", found, what, *most));
  };
  if (code.has_resources) {
    at_most("registers", code.registers, expectation.registers_most);
    at_most("bytes of static shared memory", code.shared_bytes, expectation.shared_bytes_most);
    at_most("bytes of stack (spills or local arrays)", code.stack_bytes, expectation.stack_bytes_most);
  } else {
    out.emplace_back("its resource usage was not listed");
  }
  if (!code.has_code) {
    out.emplace_back("its machine code was not listed");
    return out;
  }
  at_most("instructions", code.instructions, expectation.instructions_most);
  at_most("accesses to local memory", count(code.opcodes, "LDL") + count(code.opcodes, "STL"),
          expectation.local_accesses_most);
  for (const auto& [pattern, least] : expectation.least)
    if (const int found = count(code.opcodes, pattern); found < least)
      out.push_back(fmt::format("{} {}, and at least {} are declared", found, pattern, least));
  for (const auto& [pattern, most] : expectation.most)
    if (const int found = count(code.opcodes, pattern); found > most)
      out.push_back(fmt::format("{} {}, and at most {} are declared", found, pattern, most));
  for (const std::string& pattern : expectation.forbidden)
    if (const int found = count(code.opcodes, pattern); found > 0)
      out.push_back(fmt::format("{} {}, which is forbidden", found, pattern));
  if (!expectation.loop_least.empty()) judge_loop(expectation, code, out);
  if (expectation.vector_bytes) judge_vectors(expectation, code, out);
  return out;
}

}  // namespace gpugauge::stack
