// Sizes as ids write them: "8B", "64KiB", "1GiB".
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "result/number.hpp"

namespace gpugauge::bench {

/// Parses a whole number followed by B, KiB, MiB or GiB. Returns bytes. Throws std::logic_error for anything
/// else.
inline std::uint64_t bytes_of(const std::string& text) {
  std::string_view unit = text;
  if (const auto value = result::take_number<std::uint64_t>(unit)) {
    if (unit == "B") return *value;
    if (unit == "KiB") return *value << 10;
    if (unit == "MiB") return *value << 20;
    if (unit == "GiB") return *value << 30;
  }
  throw std::logic_error("'" + text + "' is not a number of B, KiB, MiB or GiB");
}

/// Returns the shortest text that gives `bytes` exactly.
inline std::string byte_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  while (unit < 3 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + units[unit];
}

}  // namespace gpugauge::bench
