#include "diagnose/plain_text.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "diagnose/seen.hpp"
#include "result/error.hpp"
#include "result/text.hpp"

namespace gpugauge::diagnose {
namespace {

constexpr char escape = '\x1b';
constexpr char bell = '\a';

/// Where the escape sequence that begins at `at` ends: one past its last byte (ECMA-48: a control sequence ends with
/// a byte from '@' to '~', an operating system command with BEL or ESC \, any other has one more byte).
std::size_t end_of_escape(std::string_view line, std::size_t at) {
  if (at + 1 >= line.size()) return line.size();
  std::size_t end = at + 2;
  if (line[at + 1] == '[') {
    while (end < line.size() && (line[end] < '@' || line[end] > '~')) ++end;
    return std::min(end + 1, line.size());
  }
  if (line[at + 1] != ']') return end;
  while (end < line.size() && line[end] != bell && line[end] != escape) ++end;
  return std::min(end + (end < line.size() && line[end] == escape ? 2 : 1), line.size());
}

std::string without_escapes(std::string_view line) {
  std::string out;
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] == escape) {
      at = end_of_escape(line, at);
      continue;
    }
    out += line[at] == '\t' ? ' ' : line[at];
    ++at;
  }
  return out;
}

/// "step 12 of 90: 0x7f12" -> "step # of #: #".
std::string without_numbers(std::string_view line) {
  std::string out;
  std::size_t at = 0;
  while (at < line.size()) {
    if (!result::is_digit(line[at])) {
      out += line[at++];
      continue;
    }
    const bool hex = line.substr(at).starts_with("0x");
    if (hex) at += 2;
    while (at < line.size() && (result::is_digit(line[at]) || (hex && line[at] >= 'a' && line[at] <= 'f')))
      ++at;
    out += '#';
  }
  return out;
}

std::string cleaned(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (const auto drawn = line.rfind('\r'); drawn != std::string_view::npos) line.remove_prefix(drawn + 1);
  std::string out = result::one_line(without_escapes(line), text_line_longest);
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace

TextLines lines_of_text(std::string_view text) {
  TextLines out;
  std::unordered_set<std::string> seen;
  std::unordered_map<std::string, std::size_t> numbered;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line = cleaned(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    ++out.read;
    if (seen.contains(line) || ++numbered[without_numbers(line)] > numbered_lines_most) continue;
    seen.insert(line);
    out.lines.push_back(std::move(line));
  }
  if (out.lines.size() > text_lines_most) {
    constexpr auto half = static_cast<std::ptrdiff_t>(text_lines_most / 2);
    out.lines.erase(out.lines.begin() + half, out.lines.end() - half);
  }
  return out;
}

Metric figure_of_words(const std::string& says) {
  Metric out;
  out.metric_class = "application";
  out.note = says;
  if (is_noted_slower(out)) return out;
  out.fails = tells_of_harm(says);
  if (!out.fails) out.judged = "slower";
  return out;
}

}  // namespace gpugauge::diagnose
