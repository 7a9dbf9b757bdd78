// The two clocks that a kernel can read.
#pragma once

#include <cstdint>

namespace gpugauge::kernels {

/// Nanoseconds of the GPU's real-time counter, the same on every SM. Its step is 32 ns to about 1 us,
/// depending on the GPU.
__device__ __forceinline__ std::uint64_t global_nanoseconds() {
  std::uint64_t value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
  return value;
}

/// Cycles of this SM's own clock.
__device__ __forceinline__ std::uint64_t sm_cycles() {
  std::uint64_t value;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(value)::"memory");
  return value;
}

__device__ __forceinline__ std::uint32_t sm_id() {
  std::uint32_t value;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(value));
  return value;
}

}  // namespace gpugauge::kernels
