#include "result/time.hpp"

#include <ctime>
#include <iomanip>
#include <sstream>

#include <fmt/format.h>

namespace gpugauge::result {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int two_digits(const std::string& text, std::size_t at) {
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

/// Offset of the time zone from UTC in seconds; nullopt if this is no end of a time.
std::optional<double> zone_seconds(std::string end) {
  if (end.starts_with('.')) {
    std::size_t digits = 1;
    while (digits < end.size() && is_digit(end[digits])) ++digits;
    if (digits == 1) return std::nullopt;
    end.erase(0, digits);
  }
  if (end.empty() || end == "Z") return 0;
  constexpr std::string_view form = "+hh:mm";
  if (end.size() != form.size() || (end[0] != '+' && end[0] != '-') || end[3] != ':') return std::nullopt;
  for (const std::size_t at : {1, 2, 4, 5})
    if (!is_digit(end[at])) return std::nullopt;
  const int minutes = two_digits(end, 1) * 60 + two_digits(end, 4);
  return (end[0] == '-' ? -60 : 60) * minutes;
}

}  // namespace

std::optional<double> unix_seconds(const std::string& text) {
  std::istringstream stream(text);
  std::tm time{};
  stream >> std::get_time(&time, "%Y-%m-%dT%H:%M:%S");
  if (stream.fail()) return std::nullopt;
  std::string end;
  std::getline(stream, end, '\0');
  const auto zone = zone_seconds(std::move(end));
  if (!zone) return std::nullopt;
  return static_cast<double>(timegm(&time)) - *zone;
}

std::string utc_text(double unix_seconds) {
  constexpr double end_of_time = 253402300800;  // the year 10000
  if (!(unix_seconds >= 0 && unix_seconds < end_of_time)) return {};
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace gpugauge::result
