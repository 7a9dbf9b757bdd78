// Numbers for people: SI prefixes, three significant digits, percent.
#pragma once

#include <string>
#include <string_view>

#include "result/quantity.hpp"
#include "result/vocabulary.hpp"

namespace gpugauge::report {

// Of none of these numbers are more than eight digits written, and of what is not finite "unknown".

using result::quantity;

/// A share: .1234 -> "12.3%"; below 10% two significant digits.
std::string percent(double share);

/// The smallest drop that can be shown, as a share, in the words of the sentences (judge::detectable()).
std::string detectable(double share);

/// A change with its sign, where + is worse: .05 -> "+5.0% worse", -.02 -> "2.0% better", below .05% ->
/// "same".
std::string change(double relative);

/// The same in a table, where a legend says which way is worse: .05 -> "+5.0%", -.02 -> "-2.0%".
std::string signed_percent(double relative);

/// "4 s", "1 min 20 s", "2 h 5 min".
std::string duration(double seconds);

/// Foreign text on one line, as result::one_line() makes it, of result::longest_sentence at most.
std::string plain(std::string_view text);

}  // namespace gpugauge::report
