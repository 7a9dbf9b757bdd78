// Points in time as our files write them.
#pragma once

#include <optional>
#include <string>

namespace gpugauge::result {

/// Seconds since 1970 of a time such as "2025-01-31T12:00:00.123Z", its fraction left out: UTC, or as far off
/// it as its end says ("+01:00"). Without an end it is UTC. nullopt for what is none, or ends otherwise.
std::optional<double> unix_seconds(const std::string& text);

/// Such a time of UTC, "2025-01-31T12:00:00Z"; "" outside the years 1970 to 9999.
std::string utc_text(double unix_seconds);

}  // namespace gpugauge::result
