// Kernels' names as profilers and cuobjdump tell them, mangled or not, one a line; and patterns of names.
#include "fuzz/support/target.hpp"
#include "result/pattern.hpp"
#include "stack/codegen/expectation.hpp"
#include "stack/codegen/kernel_code.hpp"
#include "support/kernel_name.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  std::vector<std::string> names;
  std::string_view before;
  while (!bytes.empty()) {
    const std::string_view line = take_line(bytes);
    const std::string name(line);
    const bench::KernelName parsed = bench::parse_kernel_name(name);
    require(!bench::to_string(parsed.path).empty(), "a path has no word");
    stack::is_foreign(name);
    stack::without_arguments(stack::readable_kernel_name(name));
    result::matches(before, line);
    stack::opcode_matches(before, line);
    before = line;
    names.push_back(name);
  }
  bench::parse_kernel_names(names);
}

const Target target("kernel_names", read);

}  // namespace
}  // namespace gpugauge::fuzz
