// Kernels that do nothing, or next to nothing: what is left is the cost of launching them.
#pragma once

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::launch {

/// One block of one warp that returns at once.
cudaError_t launch_empty(cudaStream_t stream);

/// The same shape, and adds 1 to *counter (device): proves that every launch ran.
cudaError_t launch_counting(unsigned long long* counter, cudaStream_t stream);

}  // namespace gpugauge::kernels::launch
