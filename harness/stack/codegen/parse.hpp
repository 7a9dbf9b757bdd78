// Reads what cuobjdump prints.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stack/codegen/kernel_code.hpp"

namespace gpugauge::stack {

/// Takes the text of `cuobjdump --dump-resource-usage` and `cuobjdump -sass` of one file, in pieces as they
/// come and in any order, and puts together what they say of each kernel and architecture. A file may hold
/// several copies of a kernel for one architecture, and they need not be alike: the first resources belong to
/// the first code, the second to the second. Lines that say nothing of a kernel are passed over.
class CodeParser {
 public:
  void feed(std::string_view text);  ///< a piece may end anywhere: a line counts once its end has come
  /// The text so far is all of one output: an unfinished line and function end here.
  void end_output();
  /// Adds what another parser found in the same file.
  void take(const CodeParser& other);
  /// Every copy, sorted by name, then architecture. Call after end_output.
  std::vector<KernelCode> kernels() const;
  /// Architectures for which resources were listed, sorted.
  std::vector<std::string> architectures() const;

 private:
  struct Instruction {
    unsigned long address;
    std::string opcode;
    unsigned long target;  ///< of a branch, else no_target
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

/// The kernels of several files: each body once, with the first file that holds it, sorted as
/// CodeParser::kernels() sorts.
std::vector<KernelCode> distinct(std::vector<KernelCode> kernels);

}  // namespace gpugauge::stack
