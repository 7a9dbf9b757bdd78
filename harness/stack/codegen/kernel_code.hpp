// The machine code of a kernel, as far as an expectation asks about it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace gpugauge::stack {

/// Instructions by their whole opcode ("HMMA.16816.F32.BF16") -> how often it stands in the code. Without
/// padding (NOP, and the branch to itself behind the end).
using Opcodes = std::map<std::string, int>;

/// From the target of a backward branch to that branch.
struct CodeLoop {
  int instructions = 0;  ///< without padding, those of loops inside it too
  Opcodes opcodes;       ///< the same, by opcode

  bool operator==(const CodeLoop&) const = default;  ///< Equal in every member.
};

/// One kernel for one architecture.
struct KernelCode {
  std::string symbol;        ///< as the linker knows it
  std::string name;          ///< readable_kernel_name(symbol)
  std::string architecture;  ///< "sm_90a"
  std::string file;          ///< that holds it, the first of several; "" where nobody said
  /// Its resources were listed; else registers, stack_bytes and shared_bytes mean nothing.
  bool has_resources = false;
  bool has_code = false;  ///< its code was listed; else instructions, opcodes and loops mean nothing
  int registers = 0;      ///< of one thread
  int stack_bytes = 0;    ///< of one thread: spilled registers and local arrays
  int shared_bytes = 0;   ///< static; from compute capability 9.0 on with 1024 bytes that the system keeps
  int instructions = 0;   ///< without padding
  Opcodes opcodes;        ///< the same, by opcode
  std::vector<CodeLoop> loops;  ///< in the order of their ends
};

/// The same kernel for the same architecture with the same resources and code, in whatever file.
bool same_body(const KernelCode& one, const KernelCode& other);

/// "gemm::mma::mma_bf16_kernel<float>": the demangled name without return type, parameters, the project's own
/// namespaces and the compiler's names for unnamed ones. A symbol that is not mangled stays as it is, and so
/// does one with more than 32 back references, whose name could be of any length.
std::string readable_kernel_name(const std::string& symbol);

/// "gemm::mma::mma_bf16_kernel": the same without template arguments.
std::string without_arguments(const std::string& name);

/// True for a kernel of another project: its name is mangled and its namespace is not ours.
bool is_foreign(const std::string& symbol);

}  // namespace gpugauge::stack
