// The metric that tells how fast the processor ran during a GPU's host benchmarks.
#pragma once

#include <string_view>

namespace gpugauge::result {

/// Name of a metric that is recorded and never judged: the seconds that one reading of the monotonic clock
/// took. It is measured beside operations that processor time limits (launches, synchronising, allocating).
/// On one kernel and clock source the code is always the same, so only the processor's speed changes it.
inline constexpr std::string_view clock_reading = "clock_reading";

/// Key of the note that names the clock source read: "tsc", "kvm-clock"; "unknown" where the kernel does not
/// say.
inline constexpr std::string_view clock_source_note = "clock_source";

}  // namespace gpugauge::result
