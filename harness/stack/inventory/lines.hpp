// Helpers for reading text files line by line.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/text.hpp"

namespace gpugauge::stack {

using result::lower;
using result::stripped;

/// Calls `function` with each line, without its line end.
template <typename Function>
void for_each_line(std::string_view text, const Function& function) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    function(line);
  }
}

/// The text after the prefix; nullopt if the text does not begin with it.
inline std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

/// True if the text contains the part.
inline bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Removes these blanks at the beginning.
inline std::string_view without_blanks(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text;
}

/// Words separated by blanks and tabs.
inline std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (auto start = text.find_first_not_of(" \t"); start != std::string_view::npos;
       start = text.find_first_not_of(" \t", start)) {
    const auto end = std::min(text.find_first_of(" \t", start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end;
  }
  return words;
}

/// Refuses a temporary text: the words would point to freed memory.
template <std::same_as<std::string> Text>
std::vector<std::string_view> words_of(Text&&) = delete;

/// Non-empty lines, stripped and without comments ("#").
inline std::vector<std::string_view> settings_in(std::string_view text) {
  std::vector<std::string_view> lines;
  for_each_line(text, [&](std::string_view line) {
    const std::string_view content = stripped(line.substr(0, line.find('#')));
    if (!content.empty()) lines.push_back(content);
  });
  return lines;
}
template <std::same_as<std::string> Text>
std::vector<std::string_view> settings_in(Text&&) = delete;  // as words_of

}  // namespace gpugauge::stack
