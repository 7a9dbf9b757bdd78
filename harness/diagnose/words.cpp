// Pattern matching in texts from other programs.
#include "diagnose/words.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "diagnose/stated.hpp"

namespace gpugauge::diagnose {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

char small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return small(x) == small(y); });
}

/// Like text.find(part, at), ignoring case. It copies nothing, because each text is searched for hundreds of
/// words.
std::size_t find_part(std::string_view text, std::string_view part, std::size_t at) {
  if (part.empty()) return at <= text.size() ? at : std::string_view::npos;
  for (; at + part.size() <= text.size(); ++at)
    if (small(text[at]) == small(part.front()) && same(text.substr(at, part.size()), part)) return at;
  return std::string_view::npos;
}

/// Where the pattern's next "*" or "~" stands; npos where there is none. (find_first_of calls a function for every
/// character.)
std::size_t find_gap(std::string_view pattern, std::size_t from = 0) {
  for (std::size_t at = from; at < pattern.size(); ++at)
    if (pattern[at] == '*' || pattern[at] == '~') return at;
  return std::string_view::npos;
}

/// Longest text that a "~" matches.
constexpr std::size_t file_name_most = 100;

/// End of the match of `pattern` whose first part stands at `at` and whose other parts follow in the same
/// line; npos where there is none.
std::size_t end_of_pattern(std::string_view text, std::size_t at, std::string_view pattern) {
  if (find_gap(pattern) == std::string_view::npos) return at + pattern.size();
  text = text.substr(0, text.find('\n', at));
  std::size_t begin = 0;
  bool within_name = false;
  while (true) {
    const std::size_t end = std::min(find_gap(pattern, begin), pattern.size());
    const std::size_t found = find_part(text, pattern.substr(begin, end - begin), at);
    if (found == std::string_view::npos) return found;
    if (within_name && (found - at > file_name_most ||
                        text.substr(at, found - at).find_first_of(" \t") != std::string_view::npos))
      return std::string_view::npos;
    at = found + end - begin;
    if (end == pattern.size()) return at;
    within_name = pattern[end] == '~';
    begin = end + 1;
  }
}

/// True when the non-empty pattern matches somewhere in the text and `accepts` the match's start and end.
template <typename Accepts>
bool stands(std::string_view text, std::string_view pattern, Accepts accepts) {
  const std::string_view first = pattern.substr(0, find_gap(pattern));
  const bool any_gap = pattern.find('~') == std::string_view::npos;
  for (std::size_t at = find_part(text, first, 0); at != std::string_view::npos;
       at = find_part(text, first, at + 1)) {
    const std::size_t end = end_of_pattern(text, at, pattern);
    if (end != std::string_view::npos && accepts(at, end)) return true;
    // If the rest does not follow the first match in this line, it follows no later one in it either.
    if (end == std::string_view::npos && any_gap) at = std::min(text.find('\n', at), text.size());
  }
  return false;
}

/// True when a word that starts with this pattern can begin at `at`.
bool begins_word(std::string_view text, std::size_t at, std::string_view pattern) {
  return at == 0 || !is_word_character(text[at - 1]) || !is_word_character(pattern.front());
}

}  // namespace

bool contains(std::string_view text, std::string_view pattern) {
  return !pattern.empty() && stands(text, pattern, [](std::size_t, std::size_t) { return true; });
}

bool contains_any(std::string_view text, Words patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](std::string_view pattern) { return contains(text, pattern); });
}

bool contains_word(std::string_view text, std::string_view pattern) {
  return !pattern.empty() &&
         stands(text, pattern, [&](std::size_t at, std::size_t) { return begins_word(text, at, pattern); });
}

bool contains_any_word(std::string_view text, Words patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](std::string_view pattern) { return contains_word(text, pattern); });
}

bool contains_whole_words(std::string_view text, std::string_view words) {
  if (words.empty()) return false;
  const auto in_word = [&](std::size_t at) { return at < text.size() && is_word_character(text[at]); };
  for (std::size_t at = find_part(text, words, 0); at != std::string_view::npos;
       at = find_part(text, words, at + 1))
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + words.size())) return true;
  return false;
}

namespace {

/// True when the pattern is itself a negation. A denial before it then concerns something else ("did not find
/// libx.so: cannot open").
bool is_negative(std::string_view pattern) {
  return contains_any_word(pattern,
                           {"not", "no ", "cannot", "can't", "could", "couldn't", "don't", "unable"});
}

bool is_pattern_stated(std::string_view text, std::size_t begin, std::size_t end, std::string_view pattern) {
  return is_negative(pattern) ? !is_answered_none(text, end) : is_stated(text, begin, end);
}

}  // namespace

bool contains_any_affirmed(std::string_view text, Words patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    return !pattern.empty() && stands(text, pattern, [&](std::size_t at, std::size_t end) {
      return begins_word(text, at, pattern) && is_pattern_stated(text, at, end, pattern);
    });
  });
}

bool contains_any_stated(std::string_view text, Words patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    return !pattern.empty() && stands(text, pattern, [&](std::size_t at, std::size_t end) {
      return is_pattern_stated(text, at, end, pattern);
    });
  });
}

namespace {

/// The clauses of a text, with their end marks, except those that `is_left_out` selects.
template <typename Leave>
std::string clauses_without(const std::string& text, const Leave& is_left_out) {
  const std::string low = lower(text);
  std::string out;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = start;
    while (end < text.size() && text[end] != '\n' && text[end] != ',' && text[end] != ';') ++end;
    end = std::min(end + 1, text.size());
    if (!is_left_out(std::string_view(low).substr(start, end - start))) out.append(text, start, end - start);
    start = end;
  }
  return out;
}

void strip_end(std::string_view& clause) {
  constexpr std::string_view ends = " \t\n,;.";
  while (!clause.empty() && ends.find(clause.back()) != std::string_view::npos) clause.remove_suffix(1);
}

/// True for the name of something counted followed by 0: "errors : 0", "error count = 0". An index does not
/// count: "rank = 0".
bool counts_zero(std::string_view clause) {
  strip_end(clause);
  if (!clause.ends_with('0')) return false;
  clause.remove_suffix(1);
  strip_end(clause);
  if (!clause.ends_with(':') && !clause.ends_with('=')) return false;
  clause.remove_suffix(1);
  strip_end(clause);
  constexpr std::array<std::string_view, 7> counted{
      "errors", "warnings", "failures", "mismatches", "timeouts", "error count", "failure occurred"};
  return std::any_of(counted.begin(), counted.end(),
                     [&](std::string_view name) { return clause.ends_with(name); });
}

/// True for "0 errors" and "no errors" at the start or after a verb of finding: "found 0 errors". Elsewhere
/// the 0 is an index: "rank 0 errors". A singular has no such count: "GPU 0 error" is one error.
bool says_none(std::string_view clause) {
  constexpr std::array<std::string_view, 5> counted{"errors", "warnings", "failures", "mismatches",
                                                    "timeouts"};
  constexpr std::array<std::string_view, 8> before{"found", "with", "had",     "has",
                                                   "and",   "saw",  "reports", "reported"};
  for (const std::string_view none : {"0 ", "no "})
    for (std::size_t at = clause.find(none); at != std::string_view::npos; at = clause.find(none, at + 1)) {
      const std::string_view behind = clause.substr(at + none.size());
      const bool of_errors = std::any_of(counted.begin(), counted.end(), [&](std::string_view word) {
        return behind.starts_with(word) &&
               (behind.size() == word.size() || !is_word_character(behind[word.size()]));
      });
      std::string_view front = clause.substr(0, at);
      if (!of_errors || (!front.empty() && is_word_character(front.back()))) continue;
      strip_end(front);
      if (front.empty() || front.ends_with(':')) return true;
      if (std::any_of(before.begin(), before.end(), [&](std::string_view word) {
            return front.ends_with(word) &&
                   (front.size() == word.size() || !is_word_character(front[front.size() - word.size() - 1]));
          }))
        return true;
    }
  return false;
}

}  // namespace

std::string without_inactive(const std::string& text) {
  return clauses_without(
      text, [](std::string_view clause) { return clause.find("not active") != std::string_view::npos; });
}

std::string without_none_counted(const std::string& text) {
  std::string out =
      clauses_without(text, [](std::string_view clause) { return says_none(clause) || counts_zero(clause); });
  // The text may count zero of one kind and more of another: "0 errors corrected, uncorrectable 3".
  return contains(out, "uncorrect") ? text : out;
}

namespace {

/// True for ":209" after a file name, or "line 209".
bool is_line_of_source(std::string_view text, std::size_t at) {
  if (at > 1 && text[at - 1] == ':') {
    std::size_t begin = at - 1;
    while (begin > 0 && (is_word_character(text[begin - 1]) || text[begin - 1] == '_')) --begin;
    constexpr std::array<std::string_view, 9> suffixes{"cu", "cuh", "cpp", "cc", "c",
                                                       "h",  "hpp", "cxx", "py"};
    const std::string_view suffix = text.substr(begin, at - 1 - begin);
    return begin > 0 && text[begin - 1] == '.' &&
           std::any_of(suffixes.begin(), suffixes.end(),
                       [&](std::string_view one) { return same(one, suffix); });
  }
  constexpr std::string_view line = "line ";
  return at >= line.size() && same(text.substr(at - line.size(), line.size()), line);
}

}  // namespace

std::size_t find_number(std::string_view text, int number, std::size_t from, Lines lines) {
  const std::string wanted = std::to_string(number);
  for (std::size_t at = text.find(wanted, from); at != std::string_view::npos;
       at = text.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    const bool starts = at == 0 || (!is_digit(text[at - 1]) && text[at - 1] != '.');
    const bool ends = end == text.size() || (!is_digit(text[end]) && text[end] != '.') ||
                      (text[end] == '.' && (end + 1 == text.size() || !is_digit(text[end + 1])));
    if (starts && ends && (lines == Lines::count || !is_line_of_source(text, at))) return at;
  }
  return std::string_view::npos;
}

}  // namespace gpugauge::diagnose
