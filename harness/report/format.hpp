// Numbers for people: SI prefixes, three significant digits, percent.
#pragma once

#include <string>
#include <string_view>

#include "result/quantity.hpp"
#include "result/vocabulary.hpp"

namespace gpugauge::report {

// Each writes at most eight digits, and "unknown" for a value that is not finite.

using result::quantity;

/// A share: .1234 -> "12.3%"; below 10% two significant digits.
std::string percent(double share);

/// The smallest drop that can be detected, as a share; worded as judge::detectable() does.
std::string detectable(double share);

/// A signed change, + is worse: .05 -> "+5.0% worse", -.02 -> "2.0% better", below .05% -> "same".
std::string change(double relative);

/// As change(), for a table whose legend says which direction is worse: .05 -> "+5.0%", -.02 -> "-2.0%".
std::string signed_percent(double relative);

/// "4 s", "1 min 20 s", "2 h 5 min".
std::string duration(double seconds);

/// Foreign text on one line, as result::one_line() makes it, at most result::longest_sentence bytes.
std::string plain(std::string_view text);

}  // namespace gpugauge::report
