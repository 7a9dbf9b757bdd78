// Parses the few forms of Python literals in generated version files; evaluates nothing.
#include <algorithm>

#include "stack/inventory/frameworks.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/toolkits_paths.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::string_view blanks = " \t\r\n";

/// The literal at the start: 'x', "x", 12020, True; "" for None and other text.
std::string literal(std::string_view text) {
  text = without_blanks(text, blanks);
  if (text.empty()) return "";
  if (text.front() == '\'' || text.front() == '"') {
    const auto end = text.find(text.front(), 1);
    return end == std::string_view::npos ? "" : shown(text.substr(1, end - 1));
  }
  const auto end = text.find_first_of(" \t\r\n,)]}#");
  std::string word = shown(text.substr(0, end));
  const bool number = !word.empty() && word.find_first_not_of("0123456789.") == std::string::npos;
  return number || word == "True" || word == "False" ? word : "";
}

/// The text after the quoted key and its comma or colon; an empty view if there is none.
std::string_view after_key(std::string_view text, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    const auto at = text.find(quoted);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = without_blanks(text.substr(at + quoted.size()), blanks);
    if (rest.starts_with(',') || rest.starts_with(':')) return without_blanks(rest.substr(1), blanks);
  }
  return {};
}

}  // namespace

std::string assigned_in_python(std::string_view text, std::string_view name) {
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    if (!line.starts_with(name)) continue;
    std::string_view rest = without_blanks(line.substr(name.size()), blanks);
    if (rest.starts_with(':')) rest = rest.substr(std::min(rest.find('='), rest.size()));  // skips a type
    if (rest.starts_with('=') && !rest.starts_with("==")) return literal(rest.substr(1));
  }
  return "";
}

std::string paired_in_python(std::string_view text, std::string_view key) {
  return literal(after_key(text, key));
}

std::vector<std::string> list_in_python(std::string_view text, std::string_view key) {
  constexpr std::size_t most = 100;
  std::vector<std::string> texts;
  std::string_view rest = after_key(text, key);
  if (!rest.starts_with('[')) return texts;
  rest = without_blanks(rest.substr(1, rest.find(']') - 1), blanks);
  while (texts.size() < most && !rest.empty() && (rest.front() == '\'' || rest.front() == '"')) {
    texts.push_back(literal(rest));
    const auto comma = rest.find(',');
    rest =
        comma == std::string_view::npos ? std::string_view() : without_blanks(rest.substr(comma + 1), blanks);
  }
  return texts;
}

}  // namespace gpugauge::stack
