#include "kernels/memory/atomics.cuh"

namespace gpugauge::kernels::memory {

cudaError_t add_atomically(std::uint32_t* counters, std::uint32_t words, int blocks, int rounds,
                           cudaStream_t stream) {
  if (words < 1 || blocks < 1 || rounds < 1) return cudaErrorInvalidValue;
  add_atomically_kernel<<<static_cast<unsigned>(blocks), atomics_threads, 0, stream>>>(counters, words,
                                                                                       rounds);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::memory
