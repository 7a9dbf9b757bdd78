// The SM clock over an interval, from stamps on every SM at its two ends; and a kernel of known duration.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/clock_stamp.hpp"

namespace gpugauge::kernels {

/// Every SM that gets a block writes stamps[its number]. Two launches on one stream with one `generation` (>=
/// 1, different for every interval) frame an interval. `stamps` is device-accessible.
cudaError_t launch_clock_stamp(ClockStamp* stamps, std::uint64_t generation, cudaStream_t stream);

/// Keeps one SM busy for `nanoseconds` of %globaltimer: a kernel of known duration.
cudaError_t launch_spin(std::uint64_t nanoseconds, cudaStream_t stream);

}  // namespace gpugauge::kernels
