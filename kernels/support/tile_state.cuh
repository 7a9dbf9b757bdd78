// One 8-byte word that blocks exchange through device memory. It is read and written in one access, so that
// its content needs no other ordering.
#pragma once

#include <cstdint>

namespace gpugauge::kernels {

__device__ __forceinline__ unsigned long long load_relaxed(const unsigned long long* from) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}

__device__ __forceinline__ void store_relaxed(unsigned long long* to, unsigned long long value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

}  // namespace gpugauge::kernels
