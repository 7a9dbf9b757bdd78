// The metric by which host benchmarks of a GPU say how fast the processor ran.
#pragma once

#include <string_view>

namespace gpugauge::result {

/// Name of a metric that is recorded and never judged: what one reading of the monotonic clock took, in
/// seconds, beside operations that a processor's time bounds (launches, synchronising, allocating). It is the
/// same code on both sides of a comparison, so that it moves with the processor and not with the driver.
inline constexpr std::string_view clock_reading = "clock_reading";

}  // namespace gpugauge::result
