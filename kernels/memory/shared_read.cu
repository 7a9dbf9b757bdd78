#include "kernels/memory/shared_read.cuh"

namespace gpugauge::kernels::memory {

cudaError_t read_shared(int blocks, int rounds, std::uint32_t* sums, cudaStream_t stream) {
  if (blocks < 1 || rounds < 1) return cudaErrorInvalidValue;
  read_shared_kernel<<<static_cast<unsigned>(blocks), shared_read_threads, 0, stream>>>(rounds, sums);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::memory
