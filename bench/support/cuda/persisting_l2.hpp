// The part of L2 that a program can set aside for persisting data, and what an earlier program left of it.
#pragma once

#include "result/samples.hpp"

namespace gpugauge::bench::cuda {

/// Adds, before anything else of the process is measured, how L2 was found, and gives the part that was set
/// aside back, so that what is measured afterwards is not that of the program before:
///   gpu.l2_persisting_limit   what may be set aside in this context, in bytes, as found
///   gpu.l2_read_as_found      byte/second of reading half of L2 over and over, as found
///   gpu.l2_persisting_reset   "done", or the error that the reset was answered with
///   gpu.l2_read_after_reset   the same reading again
/// Where the reading could not be done, gpu.l2_read says why. Nothing is added, and nothing done, on a GPU
/// that can set nothing aside. Never throws.
void add_persisting_l2(result::Facts& facts);

}  // namespace gpugauge::bench::cuda
