// Single memory instructions that a measurement must keep as they are: the compiler neither moves, merges nor
// removes them.
#pragma once

#include <cstdint>

namespace gpugauge::kernels::access {

/// A place in shared memory, as the load instruction takes it.
using SharedAddress = std::uint32_t;

__device__ __forceinline__ SharedAddress shared_address(const void* pointer) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(pointer));
}

/// 16 bytes of shared memory, 16-byte aligned. Volatile: the assembler would else read a place once for
/// several loads.
__device__ __forceinline__ uint4 load_shared(SharedAddress address) {
  uint4 value;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(address)
               : "memory");
  return value;
}

/// The address that lies at `from`, through L1 (what an ordinary load does).
__device__ __forceinline__ std::uint64_t load_through_l1(std::uint64_t from) {
  std::uint64_t value;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}

/// The address that lies at `from`, from L2 or behind it, past L1.
__device__ __forceinline__ std::uint64_t load_past_l1(std::uint64_t from) {
  std::uint64_t value;
  asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}

/// *to += value without an answer: one reduction of this lane's own.
__device__ __forceinline__ void add_without_answer(std::uint32_t* to, std::uint32_t value) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

}  // namespace gpugauge::kernels::access
