#include "report/format.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "judge/reasons.hpp"
#include "result/error.hpp"

namespace gpugauge::report {
namespace {

/// Text for a value that cannot be shown.
constexpr const char* unknown = "unknown";
/// Numbers from here on are written with an exponent.
constexpr double most_digits = 1e8;

}  // namespace

std::string percent(double share) {
  const double value = share * 100;
  if (!std::isfinite(value)) return unknown;
  if (std::fabs(value) >= most_digits) return fmt::format("{:.1e}%", value);
  if (std::fabs(value) >= 99.95) return fmt::format("{:.0f}%", value);
  return fmt::format("{:.1f}%", value);
}

std::string change(double relative) {
  if (std::fabs(relative) < .0005) return "same";
  if (std::isnan(relative)) return unknown;
  return relative > 0 ? fmt::format("+{} worse", percent(relative))
                      : fmt::format("{} better", percent(-relative));
}

std::string signed_percent(double relative) {
  return (relative < 0 ? "-" : "+") + percent(std::fabs(relative));
}

std::string duration(double seconds) {
  if (!(seconds < most_digits))
    return std::isfinite(seconds) ? fmt::format("{:.3g} s", seconds) : "unknown s";
  const long whole = std::lround(std::max(0.0, seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string detectable(double share) {
  return judge::detectable(share);
}

std::string plain(std::string_view text) {
  return result::one_line(text, result::longest_sentence);
}

}  // namespace gpugauge::report
