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

}  // namespace gpugauge::result
