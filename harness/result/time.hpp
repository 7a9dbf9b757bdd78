// Points in time and days, as our files write them: RFC 3339, with any zone, by the calendar.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpugauge::result {

/// Converts to UTC, whole seconds: "2026-01-31T05:05:06.7+01:00" -> "2026-01-31T04:05:06Z". nullopt if the
/// text is not an RFC 3339 time: a day that the calendar does not have, no zone, a zone beyond 23:59, or a
/// year in UTC outside 0 to 9999.
std::optional<std::string> utc_time(std::string_view text);

/// True for a time that utc_time() reads and that is written as the run file has it: in UTC, with T and Z, as
/// "2025-01-31T12:00:00.123Z".
bool is_utc_time(std::string_view text);

/// Seconds since 1970, without the fraction, of a time that utc_time() reads; nullopt for any other text.
std::optional<double> unix_seconds(std::string_view text);

/// The UTC time, "2025-01-31T12:00:00Z"; "" outside the years 1970 to 9999.
std::string utc_text(double unix_seconds);

/// Now, in UTC, in whole seconds: "2025-01-31T12:00:00Z".
std::string utc_now();
/// The same to the millisecond: "2025-01-31T12:00:00.123Z".
std::string utc_now_milliseconds();

/// The day of a time or day in UTC: "2025-01-31T12:00:00.123Z" -> "2025-01-31". A shorter text stays as it is.
std::string day_of(std::string_view time);
/// A time in UTC without fraction and zone: "2025-01-31T12:00:00.123Z" -> "2025-01-31T12:00:00". Such texts sort
/// by time. A shorter one stays as it is.
std::string seconds_of(std::string_view time);

/// Processor seconds of this thread: what waits, as for a slow disk, does not count.
double processor_time();

/// True for a calendar day written as "2026-01-31".
bool is_day(std::string_view text);
/// The day after: "2026-02-28" -> "2026-03-01". `day` must be one.
std::string day_after(std::string_view day);

}  // namespace gpugauge::result
