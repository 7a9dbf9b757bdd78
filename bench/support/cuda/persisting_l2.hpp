// The part of L2 that a program can set aside for persisting data, and what an earlier program left of it.
#pragma once

#include "result/samples.hpp"

namespace gpugauge::bench::cuda {

/// Records the state of L2 before anything else in the process is measured. Then resets the set-aside part,
/// so that an earlier program does not affect later measurements. Adds:
///   gpu.l2_persisting_limit   most bytes that may be set aside in this context, as found
///   gpu.l2_read_as_found      bandwidth of reading half of L2 repeatedly, in byte/second, as found
///   gpu.l2_persisting_reset   "done", or the error of the reset
///   gpu.l2_read_after_reset   that bandwidth after the reset
///   gpu.l2_clock_as_found and gpu.l2_clock_after_reset   the mean SM clock of each, in hertz, where it is known
/// Where the bandwidth could not be measured, gpu.l2_read says why. On a GPU that cannot set L2 aside, it
/// adds and changes nothing. Never throws.
void add_persisting_l2(result::Facts& facts);

}  // namespace gpugauge::bench::cuda
