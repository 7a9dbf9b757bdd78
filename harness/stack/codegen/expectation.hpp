// Expectations on a kernel's machine code: the files kernels/<folder>/<file>.codegen.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/codegen/kernel_code.hpp"

namespace gpugauge::stack {

/// Opcode pattern -> a lower or upper bound on its instructions. "HMMA" matches every opcode that is HMMA or
/// begins with "HMMA."; * stands for any characters: "LDG*.128".
using Counts = std::map<std::string, int>;

/// One entry of a file: bounds for the kernels and architectures that it names.
struct Expectation {
  std::string origin;                      ///< "gemm/mma_bf16.codegen.json: kernels[0]"
  std::string kernel;                      ///< pattern of the name, with or without template arguments
  std::vector<std::string> architectures;  ///< "sm_80+" or "sm_90a"; empty: all
  std::optional<int> registers_most;       ///< per thread; absent: no limit
  std::optional<int> shared_bytes_most;    ///< static, per block; absent: no limit
  std::optional<int> instructions_most;    ///< in the whole kernel, without padding; absent: no limit
  int stack_bytes_most = 0;                ///< per thread; 0 forbids spills and local arrays
  int local_accesses_most = 0;             ///< instructions LDL and STL together
  std::optional<int> vector_bytes;         ///< widest access to global memory, for loads and for stores
  Counts least;                            ///< lower bounds for the whole kernel
  Counts most;                             ///< upper bounds for the whole kernel
  Counts loop_least;                       ///< lower bounds for one loop
  /// Upper bounds for that loop, the one that holds most of loop_least.
  Counts loop_most;
  /// Lower bound: share of that loop's instructions that loop_least names.
  double loop_share = 0;
  std::vector<std::string> forbidden;  ///< opcode patterns that must not occur in the kernel
};

/// Reads one file. Throws result::FormatError with file and place for an unknown key, a wrong type, a number
/// out of range, an invalid architecture, or a missing kernel.
std::vector<Expectation> read_expectations(const std::string& text, const std::string& origin);

/// Every expectation that this command was built with.
std::vector<Expectation> built_in_expectations();

/// True if its pattern matches the kernel's readable name, with or without template arguments.
bool names(const Expectation& expectation, const KernelCode& code);
/// True if `word` covers the architecture: "sm_80+" covers sm_80 and every later one, including sm_90a;
/// "sm_90a" only itself.
bool means(std::string_view word, std::string_view architecture);
/// True if one of its words covers this architecture, or it has none.
bool covers(const Expectation& expectation, std::string_view architecture);

/// Number of instructions whose opcode matches.
int count(const Opcodes& opcodes, std::string_view pattern);
/// Matches as Counts says: the pattern must end at the end of a part of the opcode.
bool opcode_matches(std::string_view pattern, std::string_view opcode);

/// One clause per violation of the expectation; empty if there is none.
std::vector<std::string> breaches(const Expectation& expectation, const KernelCode& code);

}  // namespace gpugauge::stack
