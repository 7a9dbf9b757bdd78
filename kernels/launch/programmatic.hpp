// A chain of kernels of which each may begin before the one ahead has ended, and waits for it inside:
// programmatic dependent launch (compute capability 9.0 and up).
#pragma once

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::launch {

/// One block of one warp that lets the next kernel begin, waits for the one ahead, and returns. With
/// `programmatic` false the stream orders the two whole kernels, as it always does.
cudaError_t launch_link(bool programmatic, cudaStream_t stream);

/// The same; behind the wait it adds 1 to *wrong unless *counter is `expected`, and sets it to expected + 1:
/// a kernel that does not wait for the one ahead is seen.
cudaError_t launch_counting_link(bool programmatic, unsigned long long expected, unsigned long long* counter,
                                 unsigned long long* wrong, cudaStream_t stream);

}  // namespace gpugauge::kernels::launch
