// Operations per clock and SM: a rate that the SM clock does not move.
#pragma once

#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// Adds an unjudged metric of the batches' median, from their times and SM clocks, where those are known:
/// flop_per_clock_per_sm (unit "flop/clock"), or operation_per_clock_per_sm (unit "1") for whole numbers.
void add_per_clock(Trial& trial, double operations, int sm_count, bool whole_numbers = false);

}  // namespace gpugauge::bench::cuda
