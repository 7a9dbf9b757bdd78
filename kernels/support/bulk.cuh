// Bulk copies between global and shared memory by the Tensor Memory Accelerator of 9.0 and later, bypassing
// registers. Shared-memory addresses are 32-bit numbers. Every address and length is a multiple of 16.
#pragma once

#include <cstdint>

#include <vector_types.h>

namespace gpugauge::kernels::sm90 {

/// Starts reading `bytes` bytes at `from` into shared memory at `to`. They count toward the phase of the
/// mbarrier `barrier`.
__device__ __forceinline__ void load_bulk(std::uint32_t to, const void* from, std::uint32_t bytes,
                                          std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(to),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
      : "memory");
}

/// Makes this thread's ordinary writes to shared memory visible to what reads it asynchronously: bulk stores,
/// and matrix instructions by their descriptors. Every writing thread calls it before the barrier that
/// precedes the read.
__device__ __forceinline__ void fence_for_asynchronous_reads() {
  asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
}

/// Starts writing `bytes` bytes of shared memory at `from` to `to`, and closes this thread's bulk group.
__device__ __forceinline__ void store_bulk(void* to, std::uint32_t from, std::uint32_t bytes) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
      "cp.async.bulk.commit_group;\n" ::"l"(__cvta_generic_to_global(to)),
      "r"(from), "r"(bytes)
      : "memory");
}

/// Waits until at most `Pending` of this thread's bulk groups still have to read shared memory. A block must
/// not end, which releases its shared memory, while a store still reads it.
template <int Pending>
__device__ __forceinline__ void wait_for_stores_to_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;\n" ::"n"(Pending) : "memory");
}

/// Loads or stores 16 bytes of shared memory by an ordinary instruction.
__device__ __forceinline__ float4 load_vector(std::uint32_t from) {
  float4 value;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];\n"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "r"(from)
               : "memory");
  return value;
}
__device__ __forceinline__ void store_vector(std::uint32_t to, float4 value) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};\n" ::"r"(to), "f"(value.x), "f"(value.y),
               "f"(value.z), "f"(value.w)
               : "memory");
}

/// Stores 16 bytes of shared memory by an ordinary instruction.
__device__ __forceinline__ void store_words(std::uint32_t to, const std::uint32_t (&words)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};\n" ::"r"(to), "r"(words[0]), "r"(words[1]),
               "r"(words[2]), "r"(words[3])
               : "memory");
}

}  // namespace gpugauge::kernels::sm90
