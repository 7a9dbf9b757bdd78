#include "stack/codegen/kernel_code.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>
#include <tuple>

#include <cxxabi.h>

namespace gpugauge::stack {
namespace {

constexpr std::string_view mangled_start = "_ZN8gpugauge";

/// True unless the mangled name has too many back references ("S1_", "T_"), which repeat earlier parts. Some
/// dozens, each with two of the one before, expand to more text than memory holds.
bool has_few_references(std::string_view symbol) {
  constexpr std::size_t most = 32;  // kernels of ours have no more than a dozen
  std::size_t count = 0;
  for (std::size_t at = 0; at < symbol.size(); ++at) {
    if (symbol[at] != 'S' && symbol[at] != 'T') continue;
    const std::size_t end = symbol.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", at + 1);
    if (end == std::string_view::npos) break;
    if (symbol[end] == '_') ++count;
    at = end;
  }
  return count <= most;
}

std::string demangled(const std::string& symbol) {
  if (!has_few_references(symbol)) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

/// Position of a character outside every pair of < and >; npos if there is none.
std::size_t find_outside(std::string_view name, char wanted) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (depth == 0 && name[i] == wanted) return i;
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
  }
  return std::string::npos;
}

}  // namespace

bool same_body(const KernelCode& one, const KernelCode& other) {
  const auto body = [](const KernelCode& code) {
    return std::tie(code.symbol, code.architecture, code.has_resources, code.has_code, code.registers,
                    code.stack_bytes, code.shared_bytes, code.instructions, code.opcodes, code.loops);
  };
  return body(one) == body(other);
}

std::string readable_kernel_name(const std::string& symbol) {
  std::string name = demangled(symbol);
  if (name == symbol) return name;
  erase_all(name, "(anonymous namespace)::");
  if (const std::size_t parameters = find_outside(name, '('); parameters != std::string::npos)
    name.erase(parameters);
  if (const std::size_t blank = find_outside(name, ' '); blank != std::string::npos) name.erase(0, blank + 1);
  erase_all(name, "gpugauge::kernels::");
  return name;
}

std::string without_arguments(const std::string& name) {
  return name.substr(0, find_outside(name, '<'));
}

bool is_foreign(const std::string& symbol) {
  return symbol.starts_with("_Z") && !symbol.starts_with(mangled_start);
}

}  // namespace gpugauge::stack
