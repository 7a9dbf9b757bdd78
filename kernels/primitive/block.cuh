// Sums and maxima over a warp and over a block.
#pragma once

#include <cstdint>

namespace gpugauge::kernels::primitive {

struct Sum {
  static constexpr float neutral = 0;
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};

struct Maximum {
  static constexpr float neutral = -3.402823466e+38F;
  // Not fmaxf, because a NaN must propagate.
  __device__ __forceinline__ float operator()(float a, float b) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
    return larger;
#else
    return a > b || a != a ? a : b;
#endif
  }
};

/// Every lane of a full warp gets the result.
template <typename Combine>
__device__ __forceinline__ float warp_all(float value, Combine combine) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) value = combine(value, __shfl_xor_sync(0xffffffffU, value, mask));
  return value;
}

/// Every thread of a block of `Threads` gets the result, always by the same order of operations. All threads
/// must call it. `scratch` is shared memory of Threads / 32 floats that no earlier call still reads.
template <int Threads, typename Combine>
__device__ __forceinline__ float block_all(float value, float* scratch, Combine combine) {
  value = warp_all(value, combine);
  if constexpr (Threads == 32) return value;
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  constexpr int warps = Threads / 32;
  float all = scratch[0];
#pragma unroll
  for (int warp = 1; warp < warps; ++warp) all = combine(all, scratch[warp]);
  return all;
}

}  // namespace gpugauge::kernels::primitive
