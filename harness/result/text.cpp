#include "result/text.hpp"

#include <algorithm>

namespace gpugauge::result {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string replaced(std::string text, std::string_view part, std::string_view by) {
  if (part.empty()) return text;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size()))
    text.replace(at, part.size(), by);
  return text;
}

std::string_view stripped(std::string_view text, std::string_view without) {
  const std::size_t start = text.find_first_not_of(without);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(without) - start + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace gpugauge::result
