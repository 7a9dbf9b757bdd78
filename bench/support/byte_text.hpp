// Sizes as ids write them: "8B", "64KiB", "1GiB".
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace gpugauge::bench {

/// Parses a whole number followed by B, KiB, MiB or GiB. Returns bytes. Throws std::logic_error for anything
/// else.
inline std::uint64_t bytes_of(const std::string& text) {
  std::uint64_t value = 0;
  const auto [unit, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string word(unit, text.data() + text.size());
  if (fault == std::errc{}) {
    if (word == "B") return value;
    if (word == "KiB") return value << 10;
    if (word == "MiB") return value << 20;
    if (word == "GiB") return value << 30;
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
