// Finds denials of a statement in the same clause, before or after it.
#include "diagnose/stated.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "diagnose/words.hpp"

namespace gpugauge::diagnose {
namespace {

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

template <std::size_t n>
bool is_among(std::string_view word, const std::array<std::string_view, n>& words) {
  const std::string low = lower(word);
  return std::find(words.begin(), words.end(), low) != words.end();
}

/// The word that ends before `end`, ignoring blanks; moves `end` to its start. Empty where anything but a
/// word stands there.
std::string_view word_before(std::string_view text, std::size_t& end) {
  while (end > 0 && text[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && (is_of_word(text[begin - 1]) || text[begin - 1] == '\'')) --begin;
  const std::string_view word = text.substr(begin, end - begin);
  end = begin;
  return word;
}

/// True when "not" before this word denies what follows: "has not been an error". In "is not responding
/// error" it denies only the word between.
bool passes_not(std::string_view word) {
  constexpr std::array<std::string_view, 17> passing{"a",     "an",    "any", "the",    "be",      "been",
                                                     "being", "have",  "had", "report", "show",    "find",
                                                     "see",   "cause", "log", "get",    "indicate"};
  return is_among(word, passing) || lower(word).ends_with("ly");
}

/// True for a word whose number is an index and not a count: "rank zero".
bool is_numbered(std::string_view word) {
  constexpr std::array<std::string_view, 6> numbered{"rank", "gpu", "device", "node", "worker", "process"};
  return is_among(word, numbered);
}

constexpr int words_looked_at = 3;

/// True when one of the three words before `at` in the clause denies what follows: "no GPU has fallen off".
bool is_denied(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 4> far{"no", "without", "never", "nor"};
  constexpr std::array<std::string_view, 3> near{"not", "isn't", "doesn't"};
  // Another clause begins, or something else is denied: "no such device", "not enough memory".
  constexpr std::array<std::string_view, 13> ends{"and",   "but",    "because", "since", "when",
                                                  "while", "after",  "then",    "which", "that",
                                                  "such",  "enough", "longer"};
  bool not_reaches = true;
  std::string_view behind;
  for (int back = 1; back <= words_looked_at; ++back) {
    const std::string_view word = word_before(text, at);
    if (word.empty() || is_among(word, ends)) return false;
    // "died without warning" describes how, and denies nothing.
    if (lower(word) == "without" && (lower(behind) == "warning" || lower(behind) == "notice")) return false;
    if (is_among(word, far) || (not_reaches && is_among(word, near))) return true;
    std::size_t further = at;
    if (lower(word) == "zero") return !is_numbered(word_before(text, further));
    not_reaches = not_reaches && passes_not(word);
    behind = word;
  }
  return false;
}

/// True when the name at `at` itself is denied: "no Xid 79", "did not see an Xid 79".
bool is_name_denied(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 5> denying{"no", "without", "not", "never", "nor"};
  constexpr std::array<std::string_view, 5> other{"new", "more", "further", "other", "single"};
  for (int back = 1; back <= words_looked_at; ++back) {
    const std::string_view word = word_before(text, at);
    if (is_among(word, denying)) return true;
    std::size_t further = at;
    if (lower(word) == "zero") return !is_numbered(word_before(text, further));
    if (!passes_not(word) && !is_among(word, other)) return false;
  }
  return false;
}

void pass_over(std::string_view& text, std::string_view characters) {
  text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

/// The letters and digits at the start of the text; moves `text` behind them.
std::string_view next_word(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_of_word(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// True when at most a remark follows the answer. "no such device" and "0000:01:00.0" are no answers.
bool ends_answer(std::string_view rest) {
  pass_over(rest, " \t)\"'");
  if (rest.starts_with('.')) return rest.size() == 1 || !is_of_word(rest[1]);
  constexpr std::string_view ends = "(\n\r,;";
  return rest.empty() || ends.find(rest.front()) != std::string_view::npos;
}

/// True for a time after the answer: "none in 79 hours", "none since boot".
bool tells_when(std::string_view rest) {
  pass_over(rest, " ");
  constexpr std::array<std::string_view, 6> words{"in", "since", "so", "during", "within", "for"};
  return is_among(next_word(rest), words);
}

/// The line is of a check that passed: "[PASS] ...", "... check passed", "| NVLink errors | Pass |", "...: Passed".
bool is_passed(std::string_view text, std::size_t end) {
  const std::size_t before = text.rfind('\n', end == 0 ? 0 : end - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::string line = lower(text.substr(begin, text.find('\n', end) - begin));
  while (!line.empty() && (line.back() == ' ' || line.back() == '|' || line.back() == '.')) line.pop_back();
  if (line.starts_with("[pass]") || line.starts_with("pass:")) return true;
  for (const std::string_view word : {"pass", "passed", "ok", "healthy"}) {
    if (!line.ends_with(word) || line.size() == word.size()) continue;
    std::string_view front = std::string_view(line).substr(0, line.size() - word.size());
    if (front.back() != ' ' && front.back() != ':' && front.back() != '.' && front.back() != '|') continue;
    while (!front.empty() && front.back() == ' ') front.remove_suffix(1);
    if (front.ends_with(':') || front.ends_with('|') || front.ends_with("..") || front.ends_with("test") ||
        front.ends_with("check"))
      return true;
  }
  return false;
}

}  // namespace

bool is_answered_none(std::string_view text, std::size_t end) {
  constexpr std::string_view gap = " \t\"'";
  constexpr std::array<std::string_view, 17> counting{
      "count", "counts", "occurred", "detected", "found",  "seen",    "reported", "error", "errors",
      "event", "events", "failure",  "failures", "reason", "reasons", "active",   "code"};
  if (is_passed(text, end)) return true;
  std::string_view rest = text.substr(end);
  end += next_word(rest).size();
  // "connect failed : 0" counts something.
  const bool happened = end >= 2 && lower(text.substr(end - 2, 2)) == "ed";
  pass_over(rest, gap);
  std::string_view behind = rest;
  if (const std::string_view word = next_word(behind);
      !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
    rest = behind;
    pass_over(rest, gap);
  }
  std::string last;
  for (int most = words_looked_at; most > 0; --most) {
    behind = rest;
    const std::string_view word = next_word(behind);
    if (!is_among(word, counting)) break;
    last = lower(word);
    rest = behind;
    pass_over(rest, gap);
  }
  const bool asked = rest.starts_with(':') || rest.starts_with('=');
  if (!asked && last != "count" && last != "counts") return false;
  if (asked) rest.remove_prefix(1);
  pass_over(rest, gap);
  if (lower(rest.substr(0, 3)) == "n/a") return ends_answer(rest.substr(3));
  const std::string answer = lower(next_word(rest));
  if (answer == "none") return ends_answer(rest) || tells_when(rest);
  return ends_answer(rest) &&
         (answer == "no" || answer == "false" || (answer == "0" && (!happened || !last.empty())));
}

bool is_stated(std::string_view text, std::size_t begin, std::size_t end) {
  return !is_denied(text, begin) && !is_answered_none(text, end);
}

bool is_name_stated(std::string_view text, std::size_t begin, std::size_t end) {
  return !is_name_denied(text, begin) && !is_answered_none(text, end);
}

}  // namespace gpugauge::diagnose
