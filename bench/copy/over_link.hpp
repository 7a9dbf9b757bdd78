// Definitions of the copies between host and device, the same for both directions.
#pragma once

#include "copy/transfer.hpp"

namespace gpugauge::bench::copy {

/// Pinned memory copied by the GPU's copy engine: op/pinned, from the deep profile on. `op` is the word of
/// the id.
Definition by_engine(const char* op, Direction direction);
/// Pinned memory copied by a kernel on the SMs: op/pinned_sm.
Definition by_kernel(const char* op, Direction direction);
/// Pageable memory: op/pageable.
Definition from_pageable(const char* op, Direction direction);

}  // namespace gpugauge::bench::copy
