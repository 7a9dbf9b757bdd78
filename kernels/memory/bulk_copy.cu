#include <cstdint>

#include "kernels/memory/bulk_copy.hpp"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::memory {
namespace {

// A block is one warp, and its first thread does all the work: it keeps `stages` pieces under way, each
// loaded into shared memory and stored from there.
constexpr int bulk_threads = 32;
constexpr int stages = 6;
constexpr std::uint32_t piece_bytes = 16 * 1024;
constexpr int shared_bytes = stages * static_cast<int>(piece_bytes);
constexpr int bulk_blocks_per_sm = 2;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void barrier_init(std::uint32_t barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

// Makes the initialised barriers visible to the bulk copies, which run in another proxy.
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void expect_and_load(std::uint32_t barrier, std::uint32_t to, const void* from,
                                                std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
      : "memory");
}

__device__ __forceinline__ void wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ __forceinline__ void store_and_commit(void* to, std::uint32_t from, std::uint32_t bytes) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
      "r"(from), "r"(bytes)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Until at most one store still reads its shared memory.
__device__ __forceinline__ void wait_for_all_reads_but_one() {
  asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
}

__device__ __forceinline__ void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif

__global__ void __launch_bounds__(bulk_threads)
    bulk_copy_kernel(const float* __restrict__ from, float* __restrict__ to, std::size_t count) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char pieces[];
  __shared__ __align__(8) std::uint64_t loaded[stages];
  const std::size_t bytes = count * sizeof(float) / 16 * 16;  // bulk copies move multiples of 16 bytes
  if (blockIdx.x == 0 && threadIdx.x < count - bytes / sizeof(float)) {
    const std::size_t tail = bytes / sizeof(float) + threadIdx.x;
    to[tail] = from[tail];
  }
  if (threadIdx.x != 0) return;

  const std::size_t all = (bytes + piece_bytes - 1) / piece_bytes;
  // This block's pieces are blockIdx.x, blockIdx.x + gridDim.x, ...
  const std::size_t mine = all > blockIdx.x ? (all - blockIdx.x - 1) / gridDim.x + 1 : 0;
  const auto offset = [&](std::size_t piece) { return (blockIdx.x + piece * gridDim.x) * piece_bytes; };
  const auto length = [&](std::size_t piece) {
    const std::size_t left = bytes - offset(piece);
    return static_cast<std::uint32_t>(left < piece_bytes ? left : piece_bytes);
  };
  const auto stage_of = [&](int stage) { return shared_address(pieces) + stage * piece_bytes; };
  const auto barrier_of = [&](int stage) { return shared_address(&loaded[stage]); };
  const auto load = [&](std::size_t piece, int stage) {
    expect_and_load(barrier_of(stage), stage_of(stage),
                    reinterpret_cast<const unsigned char*>(from) + offset(piece), length(piece));
  };

  for (int stage = 0; stage < stages; ++stage) barrier_init(barrier_of(stage));
  fence_barrier_init();
  for (int stage = 0; stage < stages - 1; ++stage)
    if (static_cast<std::size_t>(stage) < mine) load(stage, stage);
  int stage = 0;
  std::uint32_t parity = 0;
  for (std::size_t piece = 0; piece < mine; ++piece) {
    wait(barrier_of(stage), parity);
    store_and_commit(reinterpret_cast<unsigned char*>(to) + offset(piece), stage_of(stage), length(piece));
    // The store before this one has read its stage once at most this one is left: that stage is loaded next.
    const std::size_t next = piece + stages - 1;
    if (next < mine) {
      wait_for_all_reads_but_one();
      load(next, stage == 0 ? stages - 1 : stage - 1);
    }
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  wait_for_stores();
#endif
}

}  // namespace

cudaError_t bulk_copy(const float* from, float* to, std::size_t count, cudaStream_t stream) {
  if (reinterpret_cast<std::uintptr_t>(from) % 16 != 0 || reinterpret_cast<std::uintptr_t>(to) % 16 != 0)
    return cudaErrorInvalidValue;
  if (current_compute_capability() < 90) return cudaErrorNotSupported;
  if (count == 0) return cudaSuccess;
  if (const cudaError_t status =
          cudaFuncSetAttribute(bulk_copy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
      status != cudaSuccess)
    return status;
  bulk_copy_kernel<<<current_sm_count() * bulk_blocks_per_sm, bulk_threads, shared_bytes, stream>>>(from, to,
                                                                                                    count);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::memory
