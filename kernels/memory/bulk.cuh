// The device code of bulk.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/memory/bulk.hpp"
#include "kernels/memory/maps.hpp"
#include "kernels/memory/stream.cuh"
#include "kernels/support/barrier.cuh"
#include "kernels/support/bulk.cuh"
#include "kernels/support/ptx.cuh"
#include "kernels/support/ring.hpp"

namespace gpugauge::kernels::memory {

/// Below 9.0 the kernels only trap; the wrapper refuses those GPUs.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define GPUGAUGE_HAS_BULK_COPIES 1
#else
#define GPUGAUGE_HAS_BULK_COPIES 0
#endif

template <typename Map>
__device__ __forceinline__ float4 map_vectors(Map map, float4 b) {
  return make_float4(map(b.x), map(b.y), map(b.z), map(b.w));
}
template <typename Map>
__device__ __forceinline__ float4 map_vectors(Map map, float4 b, float4 c) {
  return make_float4(map(b.x, c.x), map(b.y, c.y), map(b.z, c.z), map(b.w, c.w));
}

/// Shared memory of bulk_map_kernel: a piece of every array that is read, and an mbarrier.
template <typename Map>
constexpr int bulk_map_shared_bytes = Map::inputs* static_cast<int>(bulk_piece_bytes) + 8;

/// Threads per block of bulk_map_kernel.
template <typename Map>
constexpr int bulk_map_block = bulk_map_threads(!std::is_same_v<Map, Same>);

/// a[i] = map(b[i]), or map(b[i], c[i]). Launch bulk_map_blocks(count) blocks of bulk_map_block<Map> threads.
/// One thread starts all copies. The result overwrites the piece of b in shared memory and is stored from
/// there.
template <typename Map>
__global__ void __launch_bounds__(bulk_map_block<Map>)
    bulk_map_kernel(const float* __restrict__ b, const float* __restrict__ c, float* __restrict__ a,
                    std::size_t count, Map map) {
#if GPUGAUGE_HAS_BULK_COPIES
  constexpr int inputs = Map::inputs;
  const std::uint32_t piece = ptx::dynamic_shared();
  const std::uint32_t arrived = piece + inputs * bulk_piece_bytes;
  const BulkShare share(count, bulk_piece_bytes, blockIdx.x, gridDim.x);
  const std::size_t tail = share.bytes / sizeof(float) + threadIdx.x;
  if (blockIdx.x == 0 && tail < count) {
    if constexpr (inputs == 1)
      a[tail] = map(b[tail]);
    else
      a[tail] = map(b[tail], c[tail]);
  }
  if (share.first >= share.bytes) return;  // arrays smaller than one vector have one block
  const std::uint32_t bytes = share.length(share.first);
  if (threadIdx.x == 0) {
    sm90::barrier_init(arrived, 1);
    sm90::barrier_init_fence();
    sm90::barrier_arrive_expecting(arrived, inputs * bytes);
    sm90::load_bulk(piece, reinterpret_cast<const unsigned char*>(b) + share.first, bytes, arrived);
    if constexpr (inputs == 2)
      sm90::load_bulk(piece + bulk_piece_bytes, reinterpret_cast<const unsigned char*>(c) + share.first,
                      bytes, arrived);
  }
  if constexpr (std::is_same_v<Map, Same>) {
    if (threadIdx.x == 0) sm90::barrier_wait(arrived, 0);
  } else {
    __syncthreads();  // the mbarrier is initialised
    sm90::barrier_wait(arrived, 0);
    const std::uint32_t place = threadIdx.x * 16;
    if (place < bytes) {
      const float4 from_b = sm90::load_vector(piece + place);
      if constexpr (inputs == 1)
        sm90::store_vector(piece + place, map_vectors(map, from_b));
      else
        sm90::store_vector(piece + place,
                           map_vectors(map, from_b, sm90::load_vector(piece + bulk_piece_bytes + place)));
    }
    sm90::fence_for_asynchronous_reads();
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    sm90::store_bulk(reinterpret_cast<unsigned char*>(a) + share.first, piece, bytes);
    sm90::wait_for_stores_to_read<0>();
  }
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// The ring of the reading kernel: one producer thread, the mover, fills stages ahead of the workers. Each
/// stage has two mbarriers: full (its bytes have arrived) and empty (every worker has released it).
struct BulkRing {
  static constexpr std::uint32_t barriers_at = bulk_stages * bulk_stage_bytes;
  static constexpr int shared_bytes = static_cast<int>(bulk_ring_bytes);
  static_assert(bulk_stage_bytes < 1U << 20, "what a barrier counts in one phase");

  std::uint32_t base;  // start of shared memory
  __device__ __forceinline__ std::uint32_t stage(std::uint32_t slot) const {
    return base + slot * bulk_stage_bytes;
  }
  __device__ __forceinline__ std::uint32_t full(std::uint32_t slot) const {
    return base + barriers_at + slot * 8;
  }
  __device__ __forceinline__ std::uint32_t empty(std::uint32_t slot) const {
    return full(slot) + bulk_stages * 8;
  }
  __device__ __forceinline__ void make_barriers() const {
    for (std::uint32_t slot = 0; slot < bulk_stages; ++slot) {
      sm90::barrier_init(full(slot), 1);
      sm90::barrier_init(empty(slot), bulk_workers);
    }
    sm90::barrier_init_fence();
  }

  // Called by one thread.
  __device__ __forceinline__ void fill(const float* from, const BulkShare& share) const {
    RingPosition at;
    for (std::size_t offset = share.first; offset < share.bytes; offset += share.step) {
      const std::uint32_t bytes = share.length(offset);
      sm90::barrier_wait(empty(at.slot), at.empty_parity());
      sm90::barrier_arrive_expecting(full(at.slot), bytes);
      sm90::load_bulk(stage(at.slot), reinterpret_cast<const unsigned char*>(from) + offset, bytes,
                      full(at.slot));
      at.advance(bulk_stages);
    }
  }

  // Called by all workers: calls work(address of a vector in shared memory) for every vector.
  template <typename Work>
  __device__ __forceinline__ void work_on(const BulkShare& share, Work work) const {
    const std::uint32_t worker = threadIdx.x - bulk_mover_threads;
    RingPosition at;
    for (std::size_t offset = share.first; offset < share.bytes; offset += share.step) {
      sm90::barrier_wait(full(at.slot), at.full_parity());
      const std::uint32_t bytes = share.length(offset);
      for (std::uint32_t v = worker * 16; v < bytes; v += bulk_workers * 16) work(stage(at.slot) + v);
      sm90::barrier_arrive(empty(at.slot));
      at.advance(bulk_stages);
    }
  }
};

static __global__ void __launch_bounds__(bulk_mover_threads + bulk_workers)
    bulk_read_kernel(const float* __restrict__ data, std::size_t count,
                     unsigned long long* __restrict__ partial_sums) {
#if GPUGAUGE_HAS_BULK_COPIES
  const BulkRing ring{ptx::dynamic_shared()};
  const BulkShare share(count, bulk_stage_bytes, blockIdx.x, gridDim.x);
  if (threadIdx.x == 0) ring.make_barriers();
  __syncthreads();
  if (threadIdx.x == 0) ring.fill(data, share);
  if (threadIdx.x < bulk_mover_threads) return;

  const std::uint32_t worker = threadIdx.x - bulk_mover_threads;
  const std::size_t tail = share.bytes / sizeof(float) + worker;
  unsigned long long sum = blockIdx.x == 0 && tail < count ? __float_as_uint(data[tail]) : 0;
  ring.work_on(share, [&](std::uint32_t place) { sum += word_sum(sm90::load_vector(place)); });
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffU, sum, offset);
  if (worker % 32 == 0) partial_sums[blockIdx.x * (bulk_workers / 32) + worker / 32] = sum;
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// Most stores of a writing block that have not yet read their piece.
constexpr int bulk_writes_open = 8;

/// Launch blocks of bulk_mover_threads threads and bulk_stage_bytes of shared memory: one piece of values,
/// stored repeatedly.
static __global__ void __launch_bounds__(bulk_mover_threads)
    bulk_write_kernel(float value, float* to, std::size_t count) {
#if GPUGAUGE_HAS_BULK_COPIES
  const std::uint32_t piece = ptx::dynamic_shared();
  const BulkShare share(count, bulk_stage_bytes, blockIdx.x, gridDim.x);
  const std::size_t tail = share.bytes / sizeof(float) + threadIdx.x;
  if (blockIdx.x == 0 && tail < count) to[tail] = value;
  for (std::uint32_t v = threadIdx.x * 16; v < bulk_stage_bytes; v += bulk_mover_threads * 16)
    sm90::store_vector(piece + v, make_float4(value, value, value, value));
  sm90::fence_for_asynchronous_reads();
  __syncwarp();
  if (threadIdx.x != 0) return;
  for (std::size_t offset = share.first; offset < share.bytes; offset += share.step) {
    sm90::store_bulk(reinterpret_cast<unsigned char*>(to) + offset, piece, share.length(offset));
    // Nothing is reused here, but no source states how many stores may be open at once.
    sm90::wait_for_stores_to_read<bulk_writes_open>();
  }
  sm90::wait_for_stores_to_read<0>();
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

}  // namespace gpugauge::kernels::memory
