#include "result/quantity.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gpugauge::result {
namespace {

struct Prefix {
  double factor;
  const char* name;
};
constexpr std::array prefixes{Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},  Prefix{1e6, "M"},
                              Prefix{1e3, "k"},  Prefix{1, ""},     Prefix{1e-3, "m"}, Prefix{1e-6, "u"},
                              Prefix{1e-9, "n"}, Prefix{1e-12, "p"}};

struct ShortUnit {
  std::string_view unit;
  std::string_view symbol;
};
constexpr std::array symbols{ShortUnit{"second", "s"},
                             ShortUnit{"byte/second", "B/s"},
                             ShortUnit{"flop/second", "FLOP/s"},
                             ShortUnit{"operation/second", "op/s"},
                             ShortUnit{"hertz", "Hz"},
                             ShortUnit{"byte", "B"},
                             ShortUnit{"watt", "W"}};

/// Numbers from here on are written with an exponent.
constexpr double most_digits = 1e8;

/// Three significant digits; no exponent for 1 <= |value| < 1000.
std::string digits(double value) {
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= most_digits) return fmt::format("{:.3g}", value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  if (size >= 0.0995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace

std::string quantity(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "unknown";
  std::string_view symbol;
  for (const ShortUnit& entry : symbols)
    if (entry.unit == unit) symbol = entry.symbol;
  if (unit == "1") return digits(value);
  if (symbol.empty()) return fmt::format("{} {}", digits(value), unit);
  for (const Prefix& prefix : prefixes) {
    // .9995: a value that would round to 1000 gets the next larger prefix.
    if (std::fabs(value) >= prefix.factor * .9995 || (prefix.factor == 1e-12))
      return fmt::format("{} {}{}", digits(value / prefix.factor), prefix.name, symbol);
  }
  return "";
}

}  // namespace gpugauge::result
