#include "kernels/support/blocker.hpp"
#include "kernels/support/clock.cuh"

namespace gpugauge::kernels {
namespace {

__global__ void blocker_kernel(BlockerFlags* flags, std::uint64_t timeout_ns) {
  const std::uint64_t start = global_nanoseconds();
  while (flags->release == 0) {
    if (global_nanoseconds() - start > timeout_ns) {
      flags->timed_out = 1;
      __threadfence_system();
      return;
    }
  }
}

}  // namespace

cudaError_t launch_blocker(BlockerFlags* flags, std::uint64_t timeout_ns, cudaStream_t stream) {
  blocker_kernel<<<1, 1, 0, stream>>>(flags, timeout_ns);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels
