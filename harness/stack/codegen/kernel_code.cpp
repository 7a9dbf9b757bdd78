#include "stack/codegen/kernel_code.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>

#include <cxxabi.h>

namespace gpugauge::stack {
namespace {

constexpr std::string_view mangled_start = "_ZN8gpugauge";

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

/// Where in `name` a character stands outside of every pair of < and >; npos where it does not.
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
