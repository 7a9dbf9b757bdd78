// Kernels that do nothing, or almost nothing, to measure the cost of launching.
#pragma once

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::launch {

/// One block of one warp that returns at once.
cudaError_t launch_empty(cudaStream_t stream);

/// As launch_empty(), but adds 1 to *counter (device), to prove that every launch ran.
cudaError_t launch_counting(unsigned long long* counter, cudaStream_t stream);

}  // namespace gpugauge::kernels::launch
