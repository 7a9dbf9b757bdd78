#include "diagnose/error_codes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

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

/// The name that stands last in the text, without what stands between it and the end: "cuInit" of
/// "cuInit(0) -> ".
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

/// The clause that holds `at`.
std::string_view clause_of(std::string_view text, std::size_t at) {
  constexpr std::string_view ends = "\n,;";
  const std::size_t begin = text.find_last_of(ends, at);
  text = text.substr(0, text.find_first_of(ends, at));
  return begin == std::string_view::npos ? text : text.substr(begin + 1);
}

/// What stands before the number at `at` calls it an error's.
bool is_called_error(std::string_view text, std::size_t at, int code) {
  constexpr std::array<std::string_view, 8> joining{"is", "was", "with",  "number",
                                                    "no", "num", "value", "of"};
  constexpr std::array<std::string_view, 5> calling{"error", "err", "error_t", "curesult", "failure"};
  constexpr std::array<std::string_view, 7> giving{"returned", "returns", "return", "status",
                                                   "result",   "failed",  "got"};
  std::string_view before = text.substr(0, at);
  std::string_view name = last_name(before);
  for (int most = 2; most > 0 && is_one_of(lower(name), joining); --most) name = last_name(before);
  const std::string low = lower(name);
  if (std::any_of(calling.begin(), calling.end(), [&](std::string_view one) { return low.ends_with(one); }))
    return true;
  // The exit code of a process is its own.
  if (low.ends_with("code")) return lower(last_name(before)) != "exit";
  constexpr int small = 100;
  if (code >= small && is_name_of_cuda(name)) return true;
  return is_one_of(low, giving) &&
         contains_any(clause_of(text, at), {"cuda", "nvml", "cuinit", "curesult", "cudevice", "cuctx"});
}

/// What stands behind a number says how many of something: "35 rows", "100 ms", "3%".
bool counts_something(std::string_view behind) {
  if (behind.empty()) return false;
  if (is_letter(behind.front()) || behind.front() == '_' || behind.front() == '%') return true;
  const std::size_t begin = behind.find_first_not_of(' ');
  if (begin == std::string_view::npos || begin == 0) return false;
  const auto* const end = std::find_if_not(behind.begin() + begin, behind.end(), is_letter);
  const std::string_view word(behind.begin() + begin, static_cast<std::size_t>(end - behind.begin()) - begin);
  constexpr std::array<std::string_view, 5> no_noun{"is", "was", "has", "as", "this"};
  constexpr std::array<std::string_view, 6> units{"KB", "MB", "GB", "KiB", "MiB", "GiB"};
  if (is_one_of(word, units)) return true;
  return word.ends_with('s') && !is_one_of(word, no_noun);
}

}  // namespace

bool tells_code(std::string_view text, int code) {
  const std::size_t length = std::to_string(code).size();
  for (std::size_t at = find_number(text, code, 0, Lines::passed_over); at != std::string_view::npos;
       at = find_number(text, code, at + 1, Lines::passed_over))
    if (is_called_error(text, at, code) && !counts_something(text.substr(at + length))) return true;
  return false;
}

bool tells_xid(std::string_view line, std::initializer_list<int> numbers) {
  const std::string low = lower(line);
  constexpr std::string_view xid = "xid";
  for (std::size_t at = low.find(xid); at != std::string::npos; at = low.find(xid, at + 1)) {
    const std::size_t name_end = at + xid.size();
    if (at > 0 && is_letter(low[at - 1])) continue;
    const std::size_t bracket = low.find("):", name_end);
    const bool of_kernel = low.find("(pci:", name_end) < bracket && bracket != std::string::npos;
    const std::size_t digit = low.find_first_of("0123456789", of_kernel ? bracket : name_end);
    if (digit == std::string::npos) return false;
    int number = 0;
    const char* const end = std::from_chars(low.data() + digit, low.data() + low.size(), number).ptr;
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) continue;
    const auto number_end = static_cast<std::size_t>(end - low.data());
    if (of_kernel || (is_stated(line, at, name_end) && is_stated(line, at, number_end))) return true;
  }
  return false;
}

}  // namespace gpugauge::diagnose
