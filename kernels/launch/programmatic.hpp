// A chain of kernels in which each may begin before the preceding one has ended, and waits for it inside:
// programmatic dependent launch (compute capability 9.0 and up).
#pragma once

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::launch {

/// Whether links can begin early on the current device. cudaErrorNotSupported before 9.0.
/// cudaErrorNoKernelImageForDevice where this build has only code for older architectures: its links wait for
/// nothing, so that `programmatic` would let them overlap. To be asked once, because the launches below do not
/// ask: they are timed.
cudaError_t links_can_begin_early();

/// Launches one block of one warp that lets the next kernel begin, waits for the preceding one, and returns.
/// With `programmatic` false the stream orders whole kernels as usual.
cudaError_t launch_link(bool programmatic, cudaStream_t stream);

/// As launch_link(). After the wait it adds 1 to *wrong unless *counter is `expected`, and sets *counter to
/// expected + 1. This detects a kernel that does not wait for the preceding one.
cudaError_t launch_counting_link(bool programmatic, unsigned long long expected, unsigned long long* counter,
                                 unsigned long long* wrong, cudaStream_t stream);

}  // namespace gpugauge::kernels::launch
