// Parses the output of cuobjdump.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stack/codegen/kernel_code.hpp"

namespace gpugauge::stack {

/// Takes the text of `cuobjdump --dump-resource-usage` and `cuobjdump -sass` for one file, in pieces and in
/// any order. Combines them per kernel and architecture. A file may hold several, different copies of a
/// kernel for one architecture: the first resources belong to the first code, the second to the second.
/// Ignores lines about anything else. Of a bare cubin cuobjdump names no architecture with the resources, and only
/// "code for sm_90a" with the code: what it lists is of architecture "" until settle().
class CodeParser {
 public:
  void feed(std::string_view text);  ///< a piece may end anywhere; a line is read once it is complete
  /// Ends the text of one output: completes an unfinished line and function.
  void end_output();
  /// Adds the results of another parser for the same file.
  void take(const CodeParser& other);
  /// Gives what is of architecture "" that of the rest. False where there is such, and the rest is not of one
  /// architecture.
  bool settle();
  /// Every copy, sorted by name, then architecture. Call after end_output.
  std::vector<KernelCode> kernels() const;
  /// Architectures for which resources were listed, sorted.
  std::vector<std::string> architectures() const;

 private:
  struct Instruction {
    unsigned long address;
    std::string opcode;
    unsigned long target;  ///< for a branch, else no_target
  };

  void line(std::string_view text);
  void resources(std::string_view text);
  void instruction(std::string_view text);
  void end_function();
  KernelCode& copy_without(bool KernelCode::*part, std::string_view symbol);

  std::string rest_;
  std::string architecture_;
  std::string resources_of_, code_of_;
  std::vector<Instruction> code_;
  std::map<std::pair<std::string, std::string>, std::vector<KernelCode>>
      kernels_;  // copies by architecture and symbol
};

/// The kernels of several files: each distinct body once, with the first file that holds it. Sorted as
/// CodeParser::kernels() does.
std::vector<KernelCode> distinct(std::vector<KernelCode> kernels);

}  // namespace gpugauge::stack
