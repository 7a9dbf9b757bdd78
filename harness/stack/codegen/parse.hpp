// Reads what cuobjdump prints.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stack/codegen/kernel_code.hpp"

namespace gpugauge::stack {

/// Takes the text of `cuobjdump --dump-resource-usage` and `cuobjdump -sass`, in pieces as they come and in
/// any order, and puts together what they say of each kernel and architecture. A kernel that comes again (the
/// same object file in several executables) keeps what was read first. Lines that say nothing of a kernel are
/// passed over.
class CodeParser {
 public:
  void feed(std::string_view text);  ///< a piece may end anywhere: a line counts once its end has come
  /// The text so far is all of one output: an unfinished line and function end here.
  void end_output();
  /// Adds what another parser found, where this one knows nothing yet.
  void take(const CodeParser& other);
  /// Sorted by name, then architecture. Call after end_output.
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
  KernelCode& kernel(std::string_view symbol);

  std::string rest_;
  std::string architecture_;
  std::string resources_of_, code_of_;
  std::vector<Instruction> code_;
  std::map<std::pair<std::string, std::string>, KernelCode> kernels_;  // by architecture and symbol
};

}  // namespace gpugauge::stack
