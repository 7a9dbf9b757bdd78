// Room on the GPU for what a benchmark needs.
#pragma once

#include <cstddef>

#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// Returns where `bytes` of device memory can be had now and leave a tenth of the GPU's memory free. Else
/// ends the body: skipped where a GPU of this size never has so much, unavailable where something else holds
/// what this one has. Throws Skipped, CudaError.
void require_room(Trial& trial, std::size_t bytes);

}  // namespace gpugauge::bench::cuda
