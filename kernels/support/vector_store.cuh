// 16 bytes of global memory in one access.
#pragma once

#include <cstdint>

namespace gpugauge::kernels {

/// *to = value, 16-byte aligned. Where another branch stores the same words one by one, the compiler may take
/// an ordinary assignment apart, too.
__device__ __forceinline__ void store_vector(std::uint32_t* to, uint4 value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
#else
  *reinterpret_cast<uint4*>(to) = value;
#endif
}

}  // namespace gpugauge::kernels
