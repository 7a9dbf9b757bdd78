// Copying device memory by bulk copies (TMA) through shared memory: no data passes a register. Compute
// capability 9.0 and later.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::memory {

/// to[i] = from[i]. Work: count * 4 bytes read and as many written. Both 16-byte aligned and not overlapping,
/// else cudaErrorInvalidValue; a count of 0 is allowed. cudaErrorNotSupported below compute capability 9.0.
cudaError_t bulk_copy(const float* from, float* to, std::size_t count, cudaStream_t stream);

}  // namespace gpugauge::kernels::memory
