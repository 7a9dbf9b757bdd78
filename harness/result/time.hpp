// Points in time as our files write them.
#pragma once

#include <optional>
#include <string>

namespace gpugauge::result {

/// Seconds since 1970 of a UTC time such as "2025-01-31T12:00:00.123Z", its fraction left out; nullopt for
/// what is none.
std::optional<double> unix_seconds(const std::string& utc);

}  // namespace gpugauge::result
