// Sums of words modulo 2^32. They are exact, so they do not depend on the order of addition.
#pragma once

#include <cstdint>

namespace gpugauge::kernels::memory {

__device__ __forceinline__ std::uint32_t word_sum_32(uint4 value) {
  return value.x + value.y + value.z + value.w;
}

// All threads of a block of `Threads` must call it; thread 0 gets the sum.
template <int Threads>
__device__ __forceinline__ std::uint32_t block_sum_32(std::uint32_t value) {
  __shared__ std::uint32_t warp_sums[Threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffU, value, offset);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  std::uint32_t sum = 0;
  if (threadIdx.x == 0)
    for (const std::uint32_t part : warp_sums) sum += part;
  return sum;
}

}  // namespace gpugauge::kernels::memory
