// What a kernel's machine code must be: the files kernels/<folder>/<file>.codegen.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/codegen/kernel_code.hpp"

namespace gpugauge::stack {

/// A number of instructions by opcode pattern: at least that many, or at most. "HMMA" means every opcode that
/// is HMMA or begins with "HMMA."; * stands for any characters: "LDG*.128".
using Counts = std::map<std::string, int>;

/// One entry of a file: what holds for the kernels that it names, on the architectures that it names.
struct Expectation {
  std::string origin;                      ///< "gemm/mma_bf16.codegen.json: kernels[0]"
  std::string kernel;                      ///< pattern of the name, with or without template arguments
  std::vector<std::string> architectures;  ///< "sm_80+" or "sm_90a"; empty: all
  std::optional<int> registers_most;       ///< of one thread; absent: any number
  std::optional<int> shared_bytes_most;    ///< static, of one block; absent: any number
  std::optional<int> instructions_most;    ///< in the whole kernel, without padding; absent: any number
  int stack_bytes_most = 0;                ///< of one thread: 0 forbids spills and local arrays
  int local_accesses_most = 0;             ///< instructions LDL and STL together
  std::optional<int> vector_bytes;         ///< widest access to global memory, of loads and of stores
  Counts least;                            ///< in the whole kernel
  Counts loop_least;                       ///< in one loop
  Counts loop_most;                        ///< in that loop, the one that holds most of loop_least
  double loop_share = 0;                   ///< of that loop's instructions, those named in loop_least
  std::vector<std::string> forbidden;      ///< opcode patterns, none of which may stand in the kernel
};

/// Reads one file. Throws result::FormatError with file and place: an unknown key, a wrong type, a number out
/// of range, an architecture that is none, no kernel at all.
std::vector<Expectation> read_expectations(const std::string& text, const std::string& origin);

/// Every expectation that this command was built with.
std::vector<Expectation> built_in_expectations();

/// Its pattern fits the kernel's readable name, with or without template arguments.
bool names(const Expectation& expectation, const KernelCode& code);
/// "sm_80+" means sm_80 and every later one, sm_90a too; "sm_90a" itself alone.
bool means(std::string_view word, std::string_view architecture);
/// One of its words means this architecture, or it has none.
bool covers(const Expectation& expectation, std::string_view architecture);

/// Instructions whose opcode matches.
int count(const Opcodes& opcodes, std::string_view pattern);
/// As Counts says: the pattern ends where a part of the opcode does.
bool opcode_matches(std::string_view pattern, std::string_view opcode);

/// What the code breaks of one expectation, one clause each; empty: nothing.
std::vector<std::string> breaches(const Expectation& expectation, const KernelCode& code);

}  // namespace gpugauge::stack
