// Single memory instructions that a measurement must keep: the compiler neither moves, merges nor removes
// them.
#pragma once

#include <cstdint>

namespace gpugauge::kernels::access {

/// A shared-memory address as the load instruction takes it.
using SharedAddress = std::uint32_t;

__device__ __forceinline__ SharedAddress shared_address(const void* pointer) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(pointer));
}

/// Loads 16 bytes of shared memory, 16-byte aligned. Volatile, because the assembler would otherwise merge
/// several loads of one address.
__device__ __forceinline__ uint4 load_shared(SharedAddress address) {
  uint4 value;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(address)
               : "memory");
  return value;
}

/// Loads the address stored at `from`, through L1 (as an ordinary load does).
__device__ __forceinline__ std::uint64_t load_through_l1(std::uint64_t from) {
  std::uint64_t value;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}

/// Loads the address stored at `from`, from L2 or beyond, past L1.
__device__ __forceinline__ std::uint64_t load_past_l1(std::uint64_t from) {
  std::uint64_t value;
  asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}

/// *to += value without a return value: one reduction by this lane.
__device__ __forceinline__ void add_without_answer(std::uint32_t* to, std::uint32_t value) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

}  // namespace gpugauge::kernels::access
