// 16-byte accesses to global memory for data that is not reused soon, so that caches evict it first. An
// ordinary access could be split by the compiler, where another branch accesses the same words one by one.
#pragma once

#include <cstdint>

namespace gpugauge::kernels {

/// Four words at `from`, 16-byte aligned.
__device__ __forceinline__ uint4 load_vector_once(const std::uint32_t* from) {
#if defined(__CUDA_ARCH__)
  uint4 value;
  asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(from)
               : "memory");
  return value;
#else
  return *reinterpret_cast<const uint4*>(from);
#endif
}

/// *to = value, 16-byte aligned.
__device__ __forceinline__ void store_vector_once(std::uint32_t* to, uint4 value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(value.x), "r"(value.y),
               "r"(value.z), "r"(value.w)
               : "memory");
#else
  *reinterpret_cast<uint4*>(to) = value;
#endif
}

}  // namespace gpugauge::kernels
