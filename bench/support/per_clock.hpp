// Operations per clock and SM: a rate that the SM clock does not move.
#pragma once

#include "support/trial.hpp"

namespace gpugauge::bench {

/// Operations a byte from which on a kernel waits for the SMs and hardly for memory, whose clock is another:
/// of such work this rate repeated within .25% from process to process at an H100's power limit, where what a
/// second brings spread by up to 17%; where the SM clock was 17% higher, it was 1% lower (docs/verdicts.md).
inline constexpr double compute_bound_operations_per_byte = 1000;

/// Adds the median over the batches of operations per SM clock and SM, where their clocks are known:
/// flop_per_clock_per_sm (unit "flop/clock") from work.flops, or, where there are none,
/// operation_per_clock_per_sm (unit "1") from work.items. It is judged beside the rate, never in its place,
/// which a clock that is too low would hide from: where the work is compute bound
/// (compute_bound_operations_per_byte; no bytes at all are, too), else recorded only.
void add_per_clock(Trial& trial, const result::Work& work, int sm_count);

}  // namespace gpugauge::bench
