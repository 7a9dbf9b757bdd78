// The metric by which host benchmarks of a GPU say how fast the processor ran.
#pragma once

#include <string_view>

namespace gpugauge::result {

/// Name of a metric that is recorded and never judged: what one reading of the monotonic clock took, in
/// seconds, beside operations that a processor's time bounds (launches, synchronising, allocating). On one
/// kernel and clock source it is the same code whatever is measured: it moves with the processor.
inline constexpr std::string_view clock_reading = "clock_reading";

/// Key of the note that names the clock source which was read: "tsc", "kvm-clock"; "unknown" where the kernel
/// does not say.
inline constexpr std::string_view clock_source_note = "clock_source";

}  // namespace gpugauge::result
