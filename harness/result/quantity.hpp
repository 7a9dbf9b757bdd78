// A number with its unit, for people.
#pragma once

#include <string>
#include <string_view>

namespace gpugauge::result {

/// A value with its unit: (1.234e10, "byte/second") -> "12.3 GB/s", (8.31e-8, "second") -> "83.1 ns", (0.987,
/// "1") -> "0.99". Prefixes are decimal. A unit without a short form is written in full. Writes at most eight
/// digits, and "unknown" for a value that is not finite.
std::string quantity(double value, std::string_view unit);

}  // namespace gpugauge::result
