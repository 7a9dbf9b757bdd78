// Points in time, as our files write them.
#pragma once

#include <optional>
#include <string>

namespace gpugauge::result {

/// Seconds since 1970 of a time such as "2025-01-31T12:00:00.123Z", without the fraction. Applies an offset
/// at its end ("+01:00"); without one it is UTC. nullopt for an invalid time or another ending.
std::optional<double> unix_seconds(const std::string& text);

/// The UTC time, "2025-01-31T12:00:00Z"; "" outside the years 1970 to 9999.
std::string utc_text(double unix_seconds);

}  // namespace gpugauge::result
