#include "diagnose/memory_report.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "diagnose/words.hpp"
#include "result/number.hpp"

namespace gpugauge::diagnose {
namespace {

/// An amount of memory at the start of a text, "7.92 GiB ...", in MiB.
std::optional<double> amount_at(std::string_view unit) {
  if (unit.empty() || std::isdigit(static_cast<unsigned char>(unit.front())) == 0) return std::nullopt;
  const auto number = result::take_number<double>(unit);
  if (!number) return std::nullopt;
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  constexpr double per_gib = 1024;
  if (unit.starts_with("gib") || unit.starts_with("gb")) return *number * per_gib;
  if (unit.starts_with("mib") || unit.starts_with("mb")) return number;
  if (unit.starts_with("kib") || unit.starts_with("kb")) return *number / per_gib;
  if (unit.starts_with("bytes")) return *number / per_gib / per_gib;
  return std::nullopt;
}

/// The amount directly before these words: "69.17 MiB already allocated".
std::optional<double> before(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos || at == 0) return std::nullopt;
  // Goes back over the unit, then over the number.
  std::size_t begin = text.find_last_not_of(' ', at - 1);
  for (int part = 0; part < 2 && begin != std::string::npos; ++part) {
    begin = text.find_last_of(" (;,", begin);
    if (begin == std::string::npos) return amount_at(text);
    if (part == 0) begin = text.find_last_not_of(' ', begin);
  }
  return begin == std::string::npos ? std::nullopt : amount_at(text.substr(begin + 1));
}

/// The amount directly after these words: "total capacity of 79.15 GiB".
std::optional<double> behind(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return std::nullopt;
  return amount_at(text.substr(at + words.size()));
}

std::optional<double> first_of(const std::optional<double>& one, const std::optional<double>& other) {
  return one ? one : other;
}

}  // namespace

std::optional<MemoryReport> memory_report(const std::string& text) {
  const std::string low = lower(text);
  const std::optional<double> total =
      first_of(behind(low, "total capacity of "), before(low, " total capacity"));
  const std::optional<double> unused = first_of(before(low, " is free"), before(low, " free"));
  std::optional<double> own = behind(low, "this process has ");
  if (!own) {
    // The reserved amount includes the allocated one.
    const std::optional<double> allocated = before(low, " already allocated");
    const std::optional<double> reserved = before(low, " reserved in total");
    own = allocated && reserved ? std::max(*allocated, *reserved) : first_of(reserved, allocated);
  }
  if (!total || !unused || !own || *total <= 0) return std::nullopt;
  for (const double amount : {*total, *unused, *own})
    if (!std::isfinite(amount)) return std::nullopt;
  return MemoryReport{*total, *unused, *own, behind(low, "tried to allocate ").value_or(0)};
}

}  // namespace gpugauge::diagnose
