// Operations per clock and SM: a rate that does not depend on the SM clock.
#pragma once

#include "support/trial.hpp"

namespace gpugauge::bench {

/// Operations per byte from which a kernel is bound by the SMs and hardly by memory, whose clock is separate.
/// For such work this rate repeated within 0.25% from process to process at an H100's power limit. The rate
/// per second spread by up to 17%. Where the SM clock was 17% higher, this rate was 1% lower
/// (docs/verdicts.md).
inline constexpr double compute_bound_operations_per_byte = 1000;

/// Adds the median over the batches of operations per SM clock and SM, where the clocks are known. It is
/// flop_per_clock_per_sm (unit "flop/clock") from work.flops. Without flops it is operation_per_clock_per_sm
/// (unit "1") from work.items. It is judged beside the rate, never in its place: it cannot show a clock that
/// is too low. It is judged where the work is compute bound (compute_bound_operations_per_byte, or no bytes
/// at all), and only recorded elsewhere.
void add_per_clock(Trial& trial, const result::Work& work, int sm_count);

}  // namespace gpugauge::bench
