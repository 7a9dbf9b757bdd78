// How long the command lets a family's process measure, and how long it waits for one that it asked to end. A
// family that waits for something, and would name it better than the command can, gives up before.
#pragma once

namespace gpugauge::result {

/// In the profiles quick and standard, counted from the start of the process.
inline constexpr double process_limit_seconds = 120;
/// Between SIGTERM and SIGKILL.
inline constexpr double grace_seconds = 2;

}  // namespace gpugauge::result
