// Compares words from other programs' texts. Case does not count. A "*" matches anything within a line, and a
// "~" the rest of a file name, without blanks.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "result/text.hpp"

namespace gpugauge::diagnose {

using result::is_digit;
using result::lower;

/// A word list that lives only as long as the call it is written in.
using Words = std::initializer_list<std::string_view>;

/// True when the pattern's parts, between its "*" and "~", occur in one line of `text` in this order. Case
/// does not count; an empty pattern never matches.
bool contains(std::string_view text, std::string_view pattern);
/// True when contains() holds for one of the patterns.
bool contains_any(std::string_view text, Words patterns);

/// Removes the clauses that contain "not active", which nvidia-smi writes for every inactive reason. A clause
/// ends at a line end, a comma or a semicolon.
std::string without_inactive(const std::string& text);

/// Removes the clauses that count zero faults: "0 errors", "no failures", "Uncorrectable errors : 0". A
/// clause ends as in without_inactive().
std::string without_none_counted(const std::string& text);

/// Whether a source line number ("gemm.cu:209", "line 209") counts as a number.
enum class Lines { count, passed_over };

/// Position of `number` in `text`, from `from` on, as a separate number: "Xid 79," contains 79, "1790" does
/// not. npos where it does not occur.
std::size_t find_number(std::string_view text, int number, std::size_t from, Lines lines);

/// Like contains(), but a pattern that starts with a letter or digit must start at a word: "load=" is not in
/// "reload=1", but "tf32" is in "allow_tf32".
bool contains_word(std::string_view text, std::string_view pattern);
/// True when contains_word() holds for one of the patterns.
bool contains_any_word(std::string_view text, Words patterns);

/// Matches whole words at both ends: "A40" is in "NVIDIA A40-48Q" but not in "RTX A4000"; "H200" is not in
/// "GH200". Case does not count; an empty text never matches.
bool contains_whole_words(std::string_view text, std::string_view words);

/// Like contains_any(), but only where the text states it (is_stated). A negative pattern ("cannot open") is
/// not denied by a word before it.
bool contains_any_stated(std::string_view text, Words patterns);
/// Like contains_any_word(), but only where the text states it: "no thermal throttling" does not contain
/// "throttl".
bool contains_any_affirmed(std::string_view text, Words patterns);

}  // namespace gpugauge::diagnose
