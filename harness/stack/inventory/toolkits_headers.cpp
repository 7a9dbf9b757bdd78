#include "stack/inventory/toolkits_headers.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "result/number.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/toolkits_paths.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::string_view blanks = " \t";

/// A whole number, 0 or more, at the start, and not part of a longer word (not "13000L").
std::optional<int> leading_word(std::string_view rest) {
  const auto number = result::take_number<int>(rest);
  if (!number || *number < 0) return std::nullopt;
  if (!rest.empty() && rest.front() != '\r' && rest.front() != '\n' && rest.front() != ')' &&
      blanks.find(rest.front()) == std::string_view::npos && rest.front() != '/' && rest.front() != '|') {
    return std::nullopt;
  }
  return number;
}

/// The number after "NAME >" or "NAME >=" in one line: the newest accepted version.
std::optional<int> newest_that_passes(std::string_view line, std::string_view name) {
  for (auto at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    std::string_view rest = without_blanks(line.substr(at + name.size()), blanks);
    if (!rest.starts_with('>')) continue;
    const bool equal = rest.starts_with(">=");
    const auto number = leading_word(without_blanks(rest.substr(equal ? 2 : 1), blanks));
    if (number) return equal ? *number - 1 : *number;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> defined_number(std::string_view text, std::string_view name) {
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    // "#define" is only a few blanks away. The limit keeps a megabyte line full of names fast.
    constexpr std::size_t near = 64;
    const std::size_t from = at > near ? at - near : 0;
    const auto line_end = text.substr(from, at - from).rfind('\n');
    if (line_end == std::string_view::npos && from > 0) continue;
    const std::size_t line_start = line_end == std::string_view::npos ? 0 : from + line_end + 1;
    std::string_view before = without_blanks(text.substr(line_start, at - line_start), blanks);
    if (!before.starts_with('#')) continue;
    before = without_blanks(before.substr(1), blanks);
    constexpr std::string_view define = "define";
    if (!before.starts_with(define) || !without_blanks(before.substr(define.size()), blanks).empty())
      continue;
    const std::string_view after = text.substr(at + name.size(), 64);
    if (after.empty() || blanks.find(after.front()) == std::string_view::npos) continue;
    if (const auto number = leading_word(without_blanks(after, blanks))) return number;
  }
  return std::nullopt;
}

std::string version_in_txt(std::string_view text) {
  constexpr std::string_view start = "CUDA Version ";
  return text.starts_with(start) ? version_word(text.substr(start.size())) : "";
}

std::string version_in_json(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return "";
  const auto cuda = json.find("cuda");
  if (cuda == json.end() || !cuda->is_object()) return "";
  const auto stated = cuda->find("version");
  if (stated == cuda->end() || !stated->is_string()) return "";
  std::string version = version_word(stated->get<std::string>());
  constexpr std::ptrdiff_t digits_of_a_date = 8;
  const auto last = version.find_last_of('.');
  if (last != std::string::npos && std::count(version.begin(), version.end(), '.') == 2 &&
      static_cast<std::ptrdiff_t>(version.size() - last - 1) >= digits_of_a_date) {
    version.erase(last);
  }
  return version;
}

HostCompilerLimits limits_in_host_config(std::string_view text) {
  HostCompilerLimits limits;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = without_blanks(text.substr(start, end - start), blanks);
    start = end + 1;
    if (!line.starts_with("#if") && !line.starts_with("#elif")) continue;
    if (!limits.gcc) limits.gcc = newest_that_passes(line, "__GNUC__");
    if (!limits.clang && line.find("__GRCO") == std::string_view::npos)
      limits.clang = newest_that_passes(line, "__clang_major__");
  }
  return limits;
}

}  // namespace gpugauge::stack
