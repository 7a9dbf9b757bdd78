#include "result/time.hpp"

#include <chrono>
#include <ctime>

#include <fmt/format.h>

#include "result/number.hpp"

namespace gpugauge::result {
namespace {

using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr std::size_t day_length = std::string_view("2026-01-31").size();

/// Parses a whole number of exactly `digits` digits at the front of `text`, and removes it.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  const auto value = number_in<unsigned>(text.substr(0, digits));
  if (!value) return std::nullopt;
  text.remove_prefix(digits);
  return static_cast<int>(*value);
}

/// Two digits up to `most`.
std::optional<int> take_two(std::string_view& text, int most) {
  const auto value = take_digits(text, 2);
  return value && *value <= most ? value : std::nullopt;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<sys_days> take_day(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

/// How far the zone is ahead of UTC.
std::optional<std::chrono::minutes> take_zone(std::string_view& text) {
  if (take(text, "Zz")) return std::chrono::minutes(0);
  const bool west = text.starts_with('-');
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = take_two(text, 23);
  if (!hours || !take(text, ":")) return std::nullopt;
  const auto minutes = take_two(text, 59);
  if (!minutes) return std::nullopt;
  const std::chrono::minutes ahead = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return west ? -ahead : ahead;
}

std::optional<sys_seconds> time_in(std::string_view text) {
  const auto day = take_day(text);
  if (!day || !take(text, "Tt ")) return std::nullopt;
  const auto hour = take_two(text, 23);
  if (!hour || !take(text, ":")) return std::nullopt;
  const auto minute = take_two(text, 59);
  if (!minute || !take(text, ":")) return std::nullopt;
  const auto second = take_two(text, 60);
  if (!second) return std::nullopt;
  if (take(text, ".")) {
    if (!take(text, "0123456789")) return std::nullopt;
    while (take(text, "0123456789")) {
    }
  }
  const auto ahead = take_zone(text);
  if (!ahead || !text.empty()) return std::nullopt;
  const sys_seconds time = sys_seconds(*day) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
                           std::chrono::seconds(*second) - *ahead;
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
  const int year = static_cast<int>(date.year());
  if (year < 0 || year > 9999) return std::nullopt;  // RFC 3339 has no such year, and it would sort wrongly
  return time;
}

std::string day_text(sys_days day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

/// `fraction`: what stands between the seconds and Z.
std::string text_of(sys_seconds time, std::string_view fraction = {}) {
  const auto midnight = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::hh_mm_ss clock(time - midnight);
  return fmt::format("{}T{:02}:{:02}:{:02}{}Z", day_text(midnight), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), fraction);
}

}  // namespace

std::optional<std::string> utc_time(std::string_view text) {
  const auto time = time_in(text);
  return time ? std::optional(text_of(*time)) : std::nullopt;
}

bool is_utc_time(std::string_view text) {
  return time_in(text) && text[day_length] == 'T' && text.back() == 'Z';
}

std::optional<double> unix_seconds(std::string_view text) {
  const auto time = time_in(text);
  return time ? std::optional(static_cast<double>(time->time_since_epoch().count())) : std::nullopt;
}

std::string utc_text(double unix_seconds) {
  constexpr double end_of_time = 253402300800;  // the year 10000
  if (!(unix_seconds >= 0 && unix_seconds < end_of_time)) return {};
  return text_of(sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(unix_seconds))));
}

std::string utc_now() {
  return text_of(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

std::string utc_now_milliseconds() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  return text_of(seconds, fmt::format(".{:03}", (now - seconds).count()));
}

std::string day_of(std::string_view time) {
  return std::string(time.substr(0, day_length));
}

std::string seconds_of(std::string_view time) {
  return std::string(time.substr(0, std::string_view("2026-01-31T12:00:00").size()));
}

double processor_time() {
  constexpr double nanoseconds = 1e9;
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / nanoseconds;
}

bool is_day(std::string_view text) {
  return take_day(text).has_value() && text.empty();
}

std::string day_after(std::string_view day) {
  return day_text(take_day(day).value() + std::chrono::days(1));
}

}  // namespace gpugauge::result
