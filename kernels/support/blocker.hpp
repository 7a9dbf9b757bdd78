// A kernel that holds its stream until the host releases it, so that a batch can be enqueued before any of it
// runs.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels {

/// Shared by the host and the blocking kernel; lies in pinned, mapped host memory.
struct BlockerFlags {
  volatile std::uint32_t release = 0;    ///< set to 1 by the host
  volatile std::uint32_t timed_out = 0;  ///< set to 1 by the kernel when it gave up waiting
};

/// Waits on `stream` until flags->release is not 0, or gives up after `timeout_ns` nanoseconds of
/// %globaltimer. So it can never hang: if a launch waits for the stream while the host should release it,
/// that costs only the timeout. `flags` is the device address of the mapped memory. The host sets both flags
/// to 0 before the launch.
cudaError_t launch_blocker(BlockerFlags* flags, std::uint64_t timeout_ns, cudaStream_t stream);

}  // namespace gpugauge::kernels
