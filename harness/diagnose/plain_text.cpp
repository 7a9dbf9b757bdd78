#include "diagnose/plain_text.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diagnose/seen.hpp"
#include "diagnose/words.hpp"
#include "result/error.hpp"
#include "result/text.hpp"

namespace gpugauge::diagnose {
namespace {

constexpr char escape = '\x1b';
constexpr char bell = '\a';

/// Where the escape sequence that begins at `at` ends, one past its last byte (ECMA-48 and ECMA-35): a control sequence
/// ends with a byte from '@' to '~'; an operating system command with BEL or ESC \, and where neither comes only its two
/// bytes are taken; any other has intermediate bytes from ' ' to '/' and one more.
std::size_t end_of_escape(std::string_view line, std::size_t at) {
  if (at + 1 >= line.size()) return line.size();
  std::size_t end = at + 2;
  if (line[at + 1] == '[') {
    while (end < line.size() && (line[end] < '@' || line[end] > '~')) ++end;
    return std::min(end + 1, line.size());
  }
  if (line[at + 1] == ']') {
    while (end < line.size() && line[end] != bell && line[end] != escape) ++end;
    if (end == line.size()) return at + 2;
    return std::min(end + (line[end] == escape ? 2 : 1), line.size());
  }
  end = at + 1;
  while (end < line.size() && line[end] >= ' ' && line[end] <= '/') ++end;
  return std::min(end + 1, line.size());
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

/// What a line looked like in the end: the last part between carriage returns that is not blank.
std::string cleaned(std::string_view line) {
  const std::string drawn = without_escapes(line);
  std::string_view rest = drawn;
  std::string_view last;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\r'), rest.size());
    if (!result::stripped(rest.substr(0, end)).empty()) last = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::string out = result::one_line(last, text_line_longest);
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

struct Line {
  std::string text;
  bool harm = false;
  bool kept = false;
};

/// The lines of one shape: those that differ in their numbers only.
std::string shape_of(const std::string& line) {
  const std::size_t xid = line.find("Xid");
  if (xid == std::string::npos) return without_numbers(line);
  // "NVRM: Xid (PCI:0000:18:00): 79, pid=..." and "Xid 79"
  const std::size_t behind = std::min(line.find("): ", xid), line.size());
  const std::size_t at = line.find_first_of("0123456789", behind == line.size() ? xid : behind);
  std::size_t end = at == std::string::npos ? line.size() : at;
  while (end < line.size() && result::is_digit(line[end])) ++end;
  return without_numbers(line) + (at == std::string::npos ? "" : line.substr(at, end - at));
}

/// Keeps of the lines that are as harmful as asked for the first and the last, at most `most` together.
void keep(std::vector<Line*>& lines, bool harm, std::size_t most) {
  std::vector<Line*> wanted;
  for (Line* line : lines)
    if (line->harm == harm) wanted.push_back(line);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted.size() <= most || i < most / 2 || i >= wanted.size() - most / 2) wanted[i]->kept = true;
}

}  // namespace

TextLines lines_of_text(std::string_view text) {
  TextLines out;
  std::vector<Line> lines;
  std::unordered_set<std::string> seen;
  std::unordered_map<std::string, std::vector<std::size_t>> shapes;
  // Old Macintoshes ended lines so, and so do some serial consoles.
  const char end_of_line = text.find('\n') == std::string_view::npos ? '\r' : '\n';
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(end_of_line), text.size());
    std::string line = cleaned(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    ++out.read;
    if (!seen.insert(line).second) continue;
    shapes[shape_of(line)].push_back(lines.size());
    lines.push_back({std::move(line)});
  }
  std::vector<bool> folded(lines.size(), false);
  for (const auto& [shape, places] : shapes)
    for (std::size_t i = numbered_lines_most; i + numbered_lines_most < places.size(); ++i)
      folded[places[i]] = true;
  std::vector<Line*> left;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!folded[i]) left.push_back(&lines[i]);
  if (left.size() > text_lines_most) {
    for (Line* line : left) line->harm = tells_of_harm(line->text);
    keep(left, true, text_lines_most / 2);
    const auto harmful = std::count_if(left.begin(), left.end(), [](const Line* line) { return line->kept; });
    keep(left, false, text_lines_most - static_cast<std::size_t>(harmful));
    std::erase_if(left, [](const Line* line) { return !line->kept; });
  }
  for (Line* line : left) out.lines.push_back(std::move(line->text));
  return out;
}

std::string why_no_text(std::string_view text) {
  constexpr std::string_view gzip = "\x1f\x8b";
  constexpr std::string_view zstd = "\x28\xb5\x2f\xfd";
  constexpr std::string_view xz = "\xfd\x37zXZ";
  if (text.starts_with(gzip)) return "is compressed; give its text: zcat FILE | gpugauge diagnose --log -";
  if (text.starts_with(zstd)) return "is compressed; give its text: zstdcat FILE | gpugauge diagnose --log -";
  if (text.starts_with(xz)) return "is compressed; give its text: xzcat FILE | gpugauge diagnose --log -";
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return "is in UTF-16; give it in UTF-8: iconv -f UTF-16 -t UTF-8 FILE | gpugauge diagnose --log -";
  const auto zeros = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\0'));
  return zeros * 10 > text.size() ? "is no text: a tenth of its bytes are zero" : "";
}

Metric figure_of_words(const std::string& says) {
  Metric out;
  out.metric_class = "application";
  out.note = says;
  if (is_noted_slower(out)) return out;
  out.fails = tells_of_harm(says) ||
              contains_any_affirmed(says, {"crash",        "hang",           "hung",          "stuck",
                                           "freez",        "frozen",         "kill",          "abort",
                                           "segfault",     "segmentation",   "core dump",     "out of memory",
                                           "oom",          "nan ",           "is nan",        "becomes nan",
                                           "wrong result", "does not start", "doesn't start", "does not run",
                                           "won't",        "will not",       "does not work", "doesn't work",
                                           "dies"});
  if (!out.fails) out.judged = "slower";
  return out;
}

}  // namespace gpugauge::diagnose
