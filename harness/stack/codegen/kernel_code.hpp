// The properties of a kernel's machine code that expectations refer to.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace gpugauge::stack {

/// Whole opcode ("HMMA.16816.F32.BF16") -> its number of occurrences. Excludes padding (NOP, and the branch
/// to itself behind the end).
using Opcodes = std::map<std::string, int>;

/// The code from the target of a backward branch to that branch.
struct CodeLoop {
  int instructions = 0;  ///< without padding; includes nested loops
  Opcodes opcodes;       ///< the same, by opcode

  bool operator==(const CodeLoop&) const = default;  ///< equal in every member
};

/// One kernel for one architecture.
struct KernelCode {
  std::string symbol;        ///< as the linker knows it
  std::string name;          ///< readable_kernel_name(symbol)
  std::string architecture;  ///< "sm_90a"
  std::string file;          ///< the first file that holds it; "" if unknown
  /// True if its resources were listed; else registers, stack_bytes and shared_bytes are meaningless.
  bool has_resources = false;
  bool has_code = false;  ///< its code was listed; else instructions, opcodes and loops are meaningless
  int registers = 0;      ///< per thread
  int stack_bytes = 0;    ///< per thread: spilled registers and local arrays
  /// Static; from compute capability 9.0 on it includes 1024 bytes reserved by the system.
  int shared_bytes = 0;
  int instructions = 0;         ///< without padding
  Opcodes opcodes;              ///< the same, by opcode
  std::vector<CodeLoop> loops;  ///< in the order of their ends
};

/// True for the same kernel and architecture with the same resources and code, in any file.
bool same_body(const KernelCode& one, const KernelCode& other);

/// "gemm::mma::mma_bf16_kernel<float>": the demangled name without return type, parameters, our own
/// namespaces and the compiler's names for unnamed ones. Returns an unmangled symbol as it is. Does the same
/// for a symbol with more than 32 back references, whose name could be of any length.
std::string readable_kernel_name(const std::string& symbol);

/// "gemm::mma::mma_bf16_kernel": `name` without template arguments.
std::string without_arguments(const std::string& name);

/// True for a kernel of another project: a mangled name whose namespace is not ours.
bool is_foreign(const std::string& symbol);

}  // namespace gpugauge::stack
