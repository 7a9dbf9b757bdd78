// Parses cuobjdump's resource lists and disassembly.
#include "stack/codegen/parse.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "result/number.hpp"
#include "stack/inventory/lines.hpp"

namespace gpugauge::stack {
namespace {

constexpr unsigned long no_target = ~0UL;

/// "REG:242 STACK:0 SHARED:1024" -> the number after "STACK:"; 0 if there is none.
int field(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return 0;
  return static_cast<int>(result::leading_number<unsigned long>(text.substr(at + name.size())).value_or(0));
}

/// The last hexadecimal number in a branch's operands.
unsigned long branch_target(std::string_view operands) {
  const std::size_t at = operands.rfind("0x");
  if (at == std::string_view::npos) return no_target;
  return result::leading_number<unsigned long>(operands.substr(at + 2), 16).value_or(no_target);
}

bool comes_before(const KernelCode& a, const KernelCode& b) {
  return std::tie(a.name, a.architecture, a.symbol) < std::tie(b.name, b.architecture, b.symbol);
}

}  // namespace

void CodeParser::feed(std::string_view text) {
  rest_ += text;
  std::size_t from = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', from)) {
    line(std::string_view(rest_).substr(from, end - from));
    from = end + 1;
  }
  rest_.erase(0, from);
}

void CodeParser::end_output() {
  if (!rest_.empty()) line(rest_);
  rest_.clear();
  end_function();
  resources_of_.clear();
}

/// The first copy that lacks this part; a new copy if none does.
KernelCode& CodeParser::copy_without(bool KernelCode::*part, std::string_view symbol) {
  std::vector<KernelCode>& copies = kernels_[{architecture_, std::string(symbol)}];
  const auto found =
      std::find_if(copies.begin(), copies.end(), [&](const KernelCode& one) { return !(one.*part); });
  if (found != copies.end()) return *found;
  KernelCode& added = copies.emplace_back();
  added.symbol = symbol;
  added.name = copies.size() > 1 ? copies.front().name : readable_kernel_name(added.symbol);
  added.architecture = architecture_;
  return added;
}

void CodeParser::line(std::string_view text) {
  text = stripped(text);
  if (text.starts_with("/*")) {
    instruction(text);
  } else if (const auto architecture = after(text, "arch =")) {
    end_function();
    resources_of_.clear();
    architecture_ = stripped(*architecture);
  } else if (const auto alone = after(text, "code for"); alone && architecture_.empty()) {
    architecture_ = stripped(*alone);
  } else if (const auto code = after(text, "Function :")) {
    end_function();
    code_of_ = stripped(*code);
  } else if (const auto usage = after(text, "Function ")) {
    resources_of_ = stripped(usage->substr(0, usage->find_last_of(':')));
  } else if (text.starts_with("REG:")) {
    resources(text);
  }
}

void CodeParser::resources(std::string_view text) {
  if (resources_of_.empty()) return;
  KernelCode& found = copy_without(&KernelCode::has_resources, resources_of_);
  resources_of_.clear();
  found.has_resources = true;
  found.registers = field(text, "REG:");
  found.stack_bytes = field(text, "STACK:");
  found.shared_bytes = field(text, "SHARED:");
}

void CodeParser::instruction(std::string_view text) {
  // "/*0070*/              @!P0 BRA 0x20 ;      /* 0xffffffa000008947 */"; the second half of the encoding is
  // alone on the next line.
  if (code_of_.empty()) return;
  const std::size_t address_end = text.find("*/");
  const auto address = result::leading_number<unsigned long>(text.substr(2), 16);
  if (address_end == std::string_view::npos || !address || text.substr(2).starts_with(' ')) return;
  std::string_view words = stripped(text.substr(address_end + 2));
  if (const std::size_t end = words.find(';'); end != std::string_view::npos)
    words = stripped(words.substr(0, end));
  if (words.starts_with('{')) words = stripped(words.substr(1));
  if (words.starts_with('@')) {
    const std::size_t blank = words.find(' ');
    words = blank == std::string_view::npos ? std::string_view{} : stripped(words.substr(blank));
  }
  const std::string_view opcode = words.substr(0, words.find_first_of(" \t"));
  if (opcode.empty()) return;
  const bool branch = opcode == "BRA" || opcode.starts_with("BRA.");
  code_.push_back({*address, std::string(opcode), branch ? branch_target(words) : no_target});
}

void CodeParser::end_function() {
  const std::vector<Instruction> code = std::move(code_);
  code_.clear();
  if (code_of_.empty()) return;
  KernelCode& found = copy_without(&KernelCode::has_code, code_of_);
  code_of_.clear();
  found.has_code = true;
  std::vector<const Instruction*> kept;
  for (const Instruction& one : code)
    if (one.opcode != "NOP" && one.target != one.address) kept.push_back(&one);
  found.instructions = static_cast<int>(kept.size());
  for (const Instruction* one : kept) {
    ++found.opcodes[one->opcode];
    if (one->target == no_target || one->target > one->address) continue;
    CodeLoop loop;
    for (const Instruction* inside : kept) {
      if (inside->address < one->target || inside->address > one->address) continue;
      ++loop.instructions;
      ++loop.opcodes[inside->opcode];
    }
    found.loops.push_back(std::move(loop));
  }
}

void CodeParser::take(const CodeParser& other) {
  for (const auto& [key, others] : other.kernels_) {
    std::vector<KernelCode>& copies = kernels_[key];
    for (const KernelCode& from : others) {
      const auto to = std::find_if(copies.begin(), copies.end(), [&](const KernelCode& one) {
        return !(one.has_resources && from.has_resources) && !(one.has_code && from.has_code);
      });
      if (to == copies.end()) {
        copies.push_back(from);
        continue;
      }
      if (from.has_resources) {
        to->has_resources = true;
        to->registers = from.registers;
        to->stack_bytes = from.stack_bytes;
        to->shared_bytes = from.shared_bytes;
      }
      if (from.has_code) {
        to->has_code = true;
        to->instructions = from.instructions;
        to->opcodes = from.opcodes;
        to->loops = from.loops;
      }
    }
  }
}

bool CodeParser::settle() {
  std::vector<std::string> found = architectures();
  if (found.empty() || !found.front().empty()) return true;
  if (found.size() != 2) return false;
  CodeParser named;
  while (!kernels_.empty() && kernels_.begin()->first.first.empty()) {
    auto copies = std::move(kernels_.begin()->second);
    for (KernelCode& one : copies) one.architecture = found[1];
    named.kernels_.emplace(std::pair(found[1], kernels_.begin()->first.second), std::move(copies));
    kernels_.erase(kernels_.begin());
  }
  take(named);
  return true;
}

std::vector<KernelCode> CodeParser::kernels() const {
  std::vector<KernelCode> out;
  out.reserve(kernels_.size());
  for (const auto& [key, copies] : kernels_) out.insert(out.end(), copies.begin(), copies.end());
  std::stable_sort(out.begin(), out.end(), comes_before);
  return out;
}

std::vector<std::string> CodeParser::architectures() const {
  std::set<std::string> found;
  for (const auto& [key, copies] : kernels_) found.insert(key.first);
  return {found.begin(), found.end()};
}

std::vector<KernelCode> distinct(std::vector<KernelCode> kernels) {
  std::stable_sort(kernels.begin(), kernels.end(), comes_before);
  std::vector<KernelCode> out;
  std::size_t first = 0;  // among the copies of one kernel for one architecture
  for (KernelCode& one : kernels) {
    if (first < out.size() && comes_before(out[first], one)) first = out.size();
    if (std::none_of(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                     [&](const KernelCode& other) { return same_body(one, other); }))
      out.push_back(std::move(one));
  }
  return out;
}

}  // namespace gpugauge::stack
