// Recognises CUDA error numbers and Xids in texts.
#include "diagnose/error_codes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "diagnose/stated.hpp"
#include "diagnose/words.hpp"

namespace gpugauge::diagnose {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The last name in the text, ignoring other characters after it: "cuInit" in "cuInit(0) -> ".
std::string_view last_name(std::string_view& text) {
  constexpr std::string_view between = " \t:=#([<>-'\"";
  const auto strip = [&] {
    while (!text.empty() && between.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  };
  strip();
  if (text.ends_with(')') && text.rfind('(') != std::string_view::npos) {
    text = text.substr(0, text.rfind('('));
    strip();
  }
  std::size_t begin = text.size();
  while (begin > 0 &&
         (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_'))
    --begin;
  const std::string_view name = text.substr(begin);
  text.remove_suffix(name.size());
  return name;
}

/// "cuInit", "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN"; not "cuda" alone.
bool is_name_of_cuda(std::string_view name) {
  if (name.starts_with("CUDA_") || name.starts_with("CU_")) return true;
  if (!name.starts_with("cu")) return false;
  name.remove_prefix(name.starts_with("cuda") ? 4 : 2);
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
}

constexpr int small_code = 100;

/// The part of the text around `at` between two of the characters `ends`, without them.
std::string_view part_around(std::string_view text, std::size_t at, std::string_view ends) {
  const std::size_t begin = text.find_last_of(ends, at);
  text = text.substr(0, text.find_first_of(ends, at));
  return begin == std::string_view::npos ? text : text.substr(begin + 1);
}

/// True when the number's interface is named in the same clause. A large number, which rarely counts
/// something, may have it anywhere in the line.
bool is_beside_api(std::string_view text, std::size_t at, int code) {
  return contains_any(part_around(text, at, code < small_code ? "\n,;" : "\n"),
                      {"cuda", "nvml", "cuinit", "curesult", "cudevice", "cuctx"});
}

/// True after the name of an error: "CUDA_ERROR_SYSTEM_NOT_READY, ".
bool follows_name_of_error(std::string_view before) {
  before = before.substr(0, before.find_last_not_of(' ') + 1);
  if (!before.ends_with(',')) return false;
  before.remove_suffix(1);
  const std::string_view name = last_name(before);
  return name.starts_with("CUDA_ERROR_") || name.starts_with("cudaError");
}

/// True for a number in brackets at the end of a message with "error:" or the like: "CUDA error: system not
/// yet initialized (802)".
bool ends_message(std::string_view text, std::size_t at, std::size_t end) {
  if (at == 0 || text[at - 1] != '(' || end >= text.size() || text[end] != ')') return false;
  std::string_view rest = text.substr(end + 1);
  if (rest.starts_with(' ')) rest = rest.substr(1, rest.find(' ', 1) - 1);
  constexpr std::string_view ends = "\n,;.:";
  constexpr std::array<std::string_view, 4> where{"at", "in", "on", "from"};
  if (!rest.empty() && ends.find(rest.front()) == std::string_view::npos && !is_one_of(rest, where))
    return false;
  return contains(part_around(text.substr(0, at), at - 1, "\n"), "error*:");
}

enum class Called {
  no,
  /// By a general word: "returned 100".
  given,
  /// By the word itself: "error 100".
  error,
};

/// How the words before the number at `at` call it an error number.
Called called(std::string_view text, std::size_t at, int code) {
  // The profiling interface has numbers of its own.
  if (contains(part_around(text, at, "\n,;"), "cupti")) return Called::no;
  constexpr std::array<std::string_view, 8> joining{"is", "was", "with",  "number",
                                                    "no", "num", "value", "of"};
  constexpr std::array<std::string_view, 5> calling{"error", "err", "error_t", "curesult", "failure"};
  constexpr std::array<std::string_view, 9> giving{"returned", "returns", "return", "status", "result",
                                                   "failed",   "got",     "ret",    "rc"};
  std::string_view before = text.substr(0, at);
  if (code >= small_code && follows_name_of_error(before)) return Called::error;
  std::string_view name = last_name(before);
  for (int most = 2; most > 0 && is_one_of(lower(name), joining); --most) name = last_name(before);
  const std::string low = lower(name);
  if (std::any_of(calling.begin(), calling.end(), [&](std::string_view one) { return low.ends_with(one); }))
    return Called::error;
  // Exit codes of processes and status codes of web servers are other numbers.
  const bool code_of = low.ends_with("code");
  if (code_of || low == "status") {
    const std::string whose = lower(last_name(before));
    if (whose == "exit" || (low == "status" && whose == "http")) return Called::no;
  }
  if (code_of) return Called::error;
  if (code >= small_code && is_name_of_cuda(name)) return Called::given;
  if (!is_beside_api(text, at, code)) return Called::no;
  const bool ends = code >= small_code && ends_message(text, at, at + std::to_string(code).size());
  return ends || is_one_of(low, giving) ? Called::given : Called::no;
}

/// True when the words after a number say that it counts something: "35 rows", "100 ms", "3%". After "error
/// 35" only a known unit or noun counts, because the sentence may continue as in "35 means that".
bool counts_something(std::string_view behind, Called as) {
  if (behind.empty()) return false;
  if (is_letter(behind.front()) || behind.front() == '_' || behind.front() == '%') return true;
  const std::size_t begin = behind.find_first_not_of(' ');
  if (begin == std::string_view::npos || begin == 0) return false;
  const auto* const end = std::find_if_not(behind.begin() + begin, behind.end(), is_letter);
  const std::string_view word(behind.begin() + begin, static_cast<std::size_t>(end - behind.begin()) - begin);
  constexpr std::array<std::string_view, 31> counted{
      "KB",      "MB",         "GB",     "KiB",   "MiB",    "GiB",     "ms",    "us",
      "ns",      "s",          "sec",    "times", "rows",   "samples", "items", "seconds",
      "minutes", "hours",      "days",   "steps", "bytes",  "lines",   "files", "tokens",
      "batches", "iterations", "epochs", "tests", "images", "retries", "errors"};
  if (is_one_of(word, counted)) return true;
  constexpr std::array<std::string_view, 12> no_noun{
      "is", "was", "has", "as", "this", "means", "unless", "across", "always", "does", "indicates", "occurs"};
  return as == Called::given && word.ends_with('s') && !is_one_of(word, no_noun);
}

}  // namespace

bool tells_code(std::string_view text, int code) {
  const std::size_t length = std::to_string(code).size();
  for (std::size_t at = find_number(text, code, 0, Lines::passed_over); at != std::string_view::npos;
       at = find_number(text, code, at + 1, Lines::passed_over))
    if (const Called as = called(text, at, code);
        as != Called::no && !counts_something(text.substr(at + length), as))
      return true;
  return false;
}

namespace {

/// End of the bracket directly after "Xid", before the ':' and the number: "Xid (PCI:0000:01:00): 79". npos
/// where there is none. A bracket with only a number holds the Xid itself: "Xid (79):".
std::size_t end_of_place(std::string_view line, std::size_t name_end) {
  const std::size_t begin = line.find_first_not_of(' ', name_end);
  if (begin == std::string_view::npos || line[begin] != '(') return std::string_view::npos;
  const std::size_t end = line.find("):", begin);
  const std::string_view place = line.substr(begin + 1, end - begin - 1);
  return place.find_first_not_of("0123456789") == std::string_view::npos ? std::string_view::npos : end;
}

constexpr int no_number = -1;

/// True when the line reports an Xid whose number `accepts` takes; it gets no_number if no number follows.
template <typename Accepts>
bool any_xid(std::string_view line, Accepts accepts) {
  const std::string low = lower(line);
  constexpr std::string_view xid = "xid";
  for (std::size_t at = low.find(xid); at != std::string::npos; at = low.find(xid, at + 1)) {
    const std::size_t name_end = at + xid.size();
    if (at > 0 && is_letter(low[at - 1])) continue;
    const std::size_t place = end_of_place(low, name_end);
    const bool of_kernel = place != std::string::npos;
    const std::size_t digit = low.find_first_of("0123456789", of_kernel ? place : name_end);
    int number = no_number;
    std::size_t number_end = name_end;
    if (digit != std::string::npos) {
      const char* const end = std::from_chars(low.data() + digit, low.data() + low.size(), number).ptr;
      number_end = static_cast<std::size_t>(end - low.data());
    }
    if (!accepts(number)) continue;
    if (of_kernel || (is_name_stated(line, at, name_end) && is_name_stated(line, at, number_end)))
      return true;
  }
  return false;
}

}  // namespace

bool tells_xid(std::string_view line, const std::vector<int>& numbers) {
  return any_xid(
      line, [&](int number) { return std::find(numbers.begin(), numbers.end(), number) != numbers.end(); });
}

bool tells_any_xid(std::string_view line) {
  return any_xid(line, [](int) { return true; });
}

}  // namespace gpugauge::diagnose
