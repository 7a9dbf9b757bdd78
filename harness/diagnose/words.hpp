// Comparing words that others wrote: case does not count, a "*" stands for anything between within a line,
// and a "~" for the rest of a file's name, without blanks.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace gpugauge::diagnose {

/// A list that lives as long as the call it is written in.
using Words = std::initializer_list<std::string_view>;

/// ASCII letters in lower case; other bytes as they are.
std::string lower(std::string_view text);

/// The pattern's parts, between its "*" and "~", stand in one line of `text` in this order. Case does not
/// count; an empty pattern holds nowhere.
bool contains(std::string_view text, std::string_view pattern);
/// One of them stands in it; false for no pattern.
bool contains_any(std::string_view text, Words patterns);

/// The text without the clauses that call something "not active", as nvidia-smi writes of every reason that
/// is none. A clause ends at a line end, a comma or a semicolon.
std::string without_inactive(const std::string& text);

/// The text without the clauses that count none of what went wrong: "0 errors", "no failures", "Uncorrectable
/// errors : 0". A clause ends as in without_inactive().
std::string without_none_counted(const std::string& text);

/// Whether the number of a line in a source file ("gemm.cu:209", "line 209") counts.
enum class Lines { count, passed_over };

/// Where `number` stands in `text` from `from` on as a number of its own: "Xid 79," holds 79, "1790" does
/// not. npos where it does not.
std::size_t find_number(std::string_view text, int number, std::size_t from, Lines lines);
/// It stands there at all.
bool contains_number(std::string_view text, int number, Lines lines = Lines::count);

/// Like contains(), and a pattern that begins with a letter or digit begins where a word does: "load=" is not
/// in "reload=1", "tf32" is in "allow_tf32".
bool contains_word(std::string_view text, std::string_view pattern);
/// One of them, as contains_word takes it; false for no pattern.
bool contains_any_word(std::string_view text, Words patterns);

/// Whole words at both ends: "A40" is in "NVIDIA A40-48Q" and not in "RTX A4000", "H200" not in "GH200". Case
/// does not count; an empty text is no word.
bool contains_whole_words(std::string_view text, std::string_view words);

/// Like contains_any(), where it is stated (is_stated). A pattern that says itself that something is not
/// ("cannot open") is not denied by a word before it.
bool contains_any_stated(std::string_view text, Words patterns);
/// Like contains_any_word(), where it is stated likewise: "no thermal throttling" does not hold "throttl".
bool contains_any_affirmed(std::string_view text, Words patterns);

/// Compares dotted versions number by number: -1, 0, 1. What is no number counts as its leading digits.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace gpugauge::diagnose
