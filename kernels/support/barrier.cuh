// Barriers between asynchronous copies, warpgroups and the blocks of a cluster: the PTX instructions of
// sm_90, one function each. Addresses are 32-bit shared-memory addresses.
#pragma once

#include <cstdint>

#include "kernels/support/ptx.cuh"

namespace gpugauge::kernels::sm90 {

/// Start of the launch's dynamic shared memory, rounded up to 1024 bytes; the same offset in every block of a
/// cluster. The launch must request 1023 bytes more than it uses.
__device__ __forceinline__ std::uint32_t shared_base() {
  return (ptx::dynamic_shared() + 1023U) & ~1023U;
}

/// Tells the compiler that a value is the same in all lanes.
__device__ __forceinline__ int uniform(int value) {
  return __shfl_sync(0xffffffffU, value, 0);
}

/// Initialises an mbarrier of 8 bytes. A phase ends after `count` arrivals and all announced bytes.
__device__ __forceinline__ void barrier_init(std::uint32_t barrier, std::uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(barrier), "r"(count) : "memory");
}

/// Makes this thread's new mbarriers visible to the cluster and to asynchronous copies. A barrier of all
/// threads that use them must follow.
__device__ __forceinline__ void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
}

/// One arrival that also announces `bytes` bytes of asynchronous copies in this phase.
__device__ __forceinline__ void barrier_arrive_expecting(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// One arrival at the mbarrier at the same offset in block `rank` of the cluster, this one or another. It
/// signals that asynchronous reads have ended (wgmma_wait). It does not make ordinary writes visible to the
/// other block. That would need .release.cluster and a GPU-wide memory fence in every step.
__device__ __forceinline__ void barrier_arrive_in_block(std::uint32_t barrier, std::uint32_t rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
      "}\n" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

/// One arrival at an mbarrier of this block.
__device__ __forceinline__ void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(barrier) : "memory");
}

/// Waits until the phase of this parity has ended. Passes at once when the mbarrier is already in the next
/// phase.
__device__ __forceinline__ void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t ended;
  do {
    asm volatile(
        "{\n"
        ".reg .pred ended;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
        "selp.u32 %0, 1, 0, ended;\n"
        "}\n"
        : "=r"(ended)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (ended == 0);
}

/// This block's rank in its cluster.
__device__ __forceinline__ std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
  return rank;
}

/// Waits for all threads of the cluster; their earlier writes are visible afterwards. Converges the warp
/// first.
__device__ __forceinline__ void cluster_barrier() {
  __syncwarp();
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;\n" ::
          : "memory");
}

/// Waits for `threads` threads (whole warps) that use the same `id`, 1 to 15; 0 belongs to __syncthreads.
__device__ __forceinline__ void named_barrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;\n" ::"r"(id), "r"(threads) : "memory");
}

/// Called by all warps of a warpgroup: raises or lowers the registers per thread to `Count` (24 to 256, a
/// multiple of 8). A block starts with its register budget divided evenly.
template <int Count>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(Count));
}
template <int Count>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(Count));
}

}  // namespace gpugauge::kernels::sm90
