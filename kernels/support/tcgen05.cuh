// The tcgen05 instructions that the kernels use, one function each: matrix products by one thread, whose
// operands lie in shared memory and whose sums lie in Tensor Memory (PTX ISA, "Tensorcore 5th generation").
// Compute capability 10.0, 10.3 and 11.0, in code for exactly that one (sm_100a, sm_103a, sm_110a).
#pragma once

#include <cstdint>

#include "kernels/support/tcgen05_descriptors.hpp"

// tcgen05 exists only in architecture-specific targets. Elsewhere the kernels only trap, and have launch bounds
// by which the wrappers know them (has_instructions in grid.hpp).
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM110_ALL)
#define GPUGAUGE_HAS_TCGEN05 1
#else
#define GPUGAUGE_HAS_TCGEN05 0
#endif

namespace gpugauge::kernels::sm100 {

/// True in one lane of the warp, always the same. All lanes call it together.
__device__ __forceinline__ bool elect() {
  std::uint32_t chosen;
  asm volatile(
      "{\n"
      ".reg .pred chosen;\n"
      "elect.sync _|chosen, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, chosen;\n"
      "}\n"
      : "=r"(chosen));
  return chosen != 0;
}

/// One warp takes `columns` columns of Tensor Memory (a power of 2 from 32 to 512; each has 128 lanes of 32
/// bits) and writes the address of the first to shared memory at `to`. Waits while other blocks of the SM
/// hold too many. The block must give them back.
__device__ __forceinline__ void take_tensor_memory(std::uint32_t to, std::uint32_t columns) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;\n" ::"r"(to), "r"(columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n");
}
/// What take_tensor_memory wrote; after a fence and a barrier of the block.
__device__ __forceinline__ std::uint32_t taken_tensor_memory(std::uint32_t at) {
  std::uint32_t address;
  asm volatile("ld.shared.u32 %0, [%1];\n" : "=r"(address) : "r"(at) : "memory");
  return address;
}
/// The warp that took them gives them back.
__device__ __forceinline__ void give_tensor_memory(std::uint32_t address, std::uint32_t columns) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;\n" ::"r"(address), "r"(columns));
}

/// Around every barrier that orders tcgen05 instructions of different threads: before it in the thread whose
/// instructions come first, after it in the other.
__device__ __forceinline__ void fence_before_barrier() {
  asm volatile("tcgen05.fence::before_thread_sync;\n" ::: "memory");
}
__device__ __forceinline__ void fence_after_barrier() {
  asm volatile("tcgen05.fence::after_thread_sync;\n" ::: "memory");
}

#define GPUGAUGE_TCGEN05(kind)                           \
  asm volatile(                                          \
      "{\n"                                              \
      ".reg .pred add;\n"                                \
      "setp.ne.b32 add, %4, 0;\n"                        \
      "tcgen05.mma.cta_group::1.kind::" kind             \
      " [%0], %1, %2, %3, add;\n"                        \
      "}\n" ::"r"(sums),                                 \
      "l"(a), "l"(b), "r"(instruction), "r"(add ? 1 : 0) \
      : "memory")

/// Starts sums = a b (+ sums) in Tensor Memory; one thread. Products of one thread on the same sums follow
/// each other.
template <Kind Of>
__device__ __forceinline__ void multiply(std::uint32_t sums, std::uint64_t a, std::uint64_t b,
                                         std::uint32_t instruction, bool add) {
  if constexpr (Of == Kind::f16) GPUGAUGE_TCGEN05("f16");
  if constexpr (Of == Kind::tf32) GPUGAUGE_TCGEN05("tf32");
  if constexpr (Of == Kind::f8f6f4) GPUGAUGE_TCGEN05("f8f6f4");
  if constexpr (Of == Kind::i8) GPUGAUGE_TCGEN05("i8");
}
#undef GPUGAUGE_TCGEN05

/// Makes the mbarrier of this block at `barrier` count one arrival when all products that this thread has
/// started are done. Implies fence_before_barrier().
__device__ __forceinline__ void commit(std::uint32_t barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];\n" ::"r"(barrier)
               : "memory");
}

/// The same in every block of the cluster whose bit is set in `blocks`, at the same offset.
__device__ __forceinline__ void commit_in_blocks(std::uint32_t barrier, std::uint32_t blocks) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;\n" ::
          "r"(barrier),
      "h"(static_cast<std::uint16_t>(blocks))
      : "memory");
}

/// Reads 32 columns from `from` on, in the lanes of Tensor Memory that belong to the warp: lane l of warp w
/// gets lane 32 (w % 4) + l. `from` names the first of these lanes in its upper half.
__device__ __forceinline__ void load_columns(std::uint32_t (&to)[32], std::uint32_t from) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
      "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];\n"
      "tcgen05.wait::ld.sync.aligned;\n"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]), "=r"(to[4]), "=r"(to[5]), "=r"(to[6]),
        "=r"(to[7]), "=r"(to[8]), "=r"(to[9]), "=r"(to[10]), "=r"(to[11]), "=r"(to[12]), "=r"(to[13]),
        "=r"(to[14]), "=r"(to[15]), "=r"(to[16]), "=r"(to[17]), "=r"(to[18]), "=r"(to[19]), "=r"(to[20]),
        "=r"(to[21]), "=r"(to[22]), "=r"(to[23]), "=r"(to[24]), "=r"(to[25]), "=r"(to[26]), "=r"(to[27]),
        "=r"(to[28]), "=r"(to[29]), "=r"(to[30]), "=r"(to[31])
      : "r"(from)
      : "memory");
}

}  // namespace gpugauge::kernels::sm100
