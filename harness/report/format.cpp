#include "report/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gpugauge::report {
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

/// Three significant digits, never an exponent for 1 <= |value| < 1000.
std::string digits(double value) {
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  if (size >= 0.0995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

/// Length of the valid UTF-8 sequence at the front of text, 0 if there is none.
std::size_t sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool beyond = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
  return overlong || beyond ? 0 : length;
}

}  // namespace

std::string quantity(double value, std::string_view unit) {
  std::string_view symbol;
  for (const ShortUnit& entry : symbols)
    if (entry.unit == unit) symbol = entry.symbol;
  if (unit == "1") return digits(value);
  if (symbol.empty()) return fmt::format("{} {}", digits(value), unit);
  for (const Prefix& prefix : prefixes) {
    // .9995: what would round to 1000 of the smaller prefix is written with the larger one.
    if (std::fabs(value) >= prefix.factor * .9995 || (prefix.factor == 1e-12))
      return fmt::format("{} {}{}", digits(value / prefix.factor), prefix.name, symbol);
  }
  return "";
}

std::string percent(double share) {
  const double value = share * 100;
  if (std::fabs(value) >= 99.95) return fmt::format("{:.0f}%", value);
  return fmt::format("{:.1f}%", value);
}

std::string change(double relative) {
  if (std::fabs(relative) < .0005) return "same";
  return relative > 0 ? fmt::format("+{} worse", percent(relative))
                      : fmt::format("{} better", percent(-relative));
}

std::string signed_percent(double relative) {
  return (relative < 0 ? "-" : "+") + percent(std::fabs(relative));
}

std::string duration(double seconds) {
  const long whole = std::lround(std::max(0.0, seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string plain(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // C1 controls (U+0080 to U+009F) start escape sequences on some terminals.
    const bool control = first < 0x20 || first == 0x7f ||
                         (length == 2 && first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0);
    if (length == 0 || control)
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace gpugauge::report
