// Numbers in text, read in one way: a minus sign and digits, for fractions also '.' and an exponent. No
// blanks, no '+', no "0x", no locale. A number that the type cannot hold is none, and neither are NaN and infinity.
// Where a text may hold NaN on purpose, std::strtod remains.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace gpugauge::result {

/// Reads the number at the front of the text, and removes it from there. If there is none, returns nullopt and leaves the
/// text as it is. An unsigned type takes no minus sign. `base` is one number from 2 to 36, for whole numbers only; 10
/// where it is not given.
template <typename Number>
std::optional<Number> take_number(std::string_view& text, std::same_as<int> auto... base) {
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  if (fault != std::errc{}) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The number that the text begins with, whatever follows; nullopt if there is none. As take_number.
template <typename Number>
std::optional<Number> leading_number(std::string_view text, std::same_as<int> auto... base) {
  return take_number<Number>(text, base...);
}

/// The whole text as a number; nullopt if anything else is in it, also a line end. As take_number.
template <typename Number>
std::optional<Number> number_in(std::string_view text, std::same_as<int> auto... base) {
  const auto number = take_number<Number>(text, base...);
  return text.empty() ? number : std::nullopt;
}

}  // namespace gpugauge::result
