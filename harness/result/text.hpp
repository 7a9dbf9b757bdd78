// Cutting and changing text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::result {

/// The parts between separators: "a,,b" has three. Nothing follows a separator at the end, and an empty text has
/// no part.
std::vector<std::string> split(std::string_view text, char separator);

/// The text with `by` in each place of `part`; unchanged if `part` is empty.
std::string replaced(std::string text, std::string_view part, std::string_view by);

/// Blanks, tabs and line ends.
inline constexpr std::string_view blanks = " \t\r\n\v\f";

/// The text without these bytes at both ends. It views the argument, so it must not outlive it.
std::string_view stripped(std::string_view text, std::string_view without = blanks);

/// ASCII letters in lower case; other bytes unchanged.
std::string lower(std::string_view text);

/// An ASCII digit.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace gpugauge::result
