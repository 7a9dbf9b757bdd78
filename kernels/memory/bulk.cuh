// The device code of bulk.hpp. One thread, the mover, fills a ring of stages ahead of the workers and stores
// what they have made of each; without workers it stores what has arrived.
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

/// Below 9.0 the kernels are empty but for a trap; a wrapper refuses those GPUs.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define GPUGAUGE_HAS_BULK_COPIES 1
#else
#define GPUGAUGE_HAS_BULK_COPIES 0
#endif

/// The ring of a kernel that reads `Inputs` arrays: each stage holds a piece of every one, and has two
/// barriers: full (its bytes have arrived) and done (every working warp has let go of it).
template <int Inputs>
struct BulkRing {
  static constexpr std::uint32_t piece_bytes = bulk_stage_bytes / Inputs;
  static constexpr std::uint32_t barriers_at = bulk_stages * bulk_stage_bytes;
  static constexpr int shared_bytes = static_cast<int>(barriers_at + bulk_stages * 16);
  static_assert(piece_bytes % 16 == 0, "bulk copies move multiples of 16 bytes");
  static_assert(bulk_stage_bytes < 1U << 20, "what a barrier counts in one phase");

  std::uint32_t base;  // of shared memory
  __device__ __forceinline__ std::uint32_t piece(std::uint32_t slot, int input) const {
    return base + slot * bulk_stage_bytes + static_cast<std::uint32_t>(input) * piece_bytes;
  }
  __device__ __forceinline__ std::uint32_t full(std::uint32_t slot) const {
    return base + barriers_at + slot * 8;
  }
  __device__ __forceinline__ std::uint32_t done(std::uint32_t slot) const {
    return full(slot) + bulk_stages * 8;
  }
  __device__ __forceinline__ void make_barriers() const {
    for (std::uint32_t slot = 0; slot < bulk_stages; ++slot) {
      sm90::barrier_init(full(slot), 1);
      sm90::barrier_init(done(slot), bulk_workers / 32);
    }
    sm90::barrier_init_fence();
  }

  __device__ __forceinline__ void load(std::uint32_t slot, const float* const (&from)[Inputs],
                                       std::size_t offset, std::uint32_t bytes) const {
    sm90::barrier_arrive_expecting(full(slot), bytes * Inputs);
#pragma unroll
    for (int input = 0; input < Inputs; ++input)
      sm90::load_bulk(piece(slot, input), reinterpret_cast<const unsigned char*>(from[input]) + offset, bytes,
                      full(slot));
  }

  // One thread. Each piece is stored from where its first input lies, unless `to` is null.
  template <bool HasWorkers>
  __device__ __forceinline__ void move(const float* const (&from)[Inputs], float* to,
                                       const BulkShare& share) const {
    RingPosition ahead;  // where the next load goes
    std::size_t next = share.first;
    const auto load_next = [&] {
      load(ahead.slot, from, next, share.length(next));
      ahead.advance(bulk_stages);
      next += share.step;
    };
    for (std::uint32_t slot = 0; slot < bulk_stages - 1; ++slot)
      if (next < share.bytes) load_next();
    RingPosition at;
    for (std::size_t offset = share.first; offset < share.bytes; offset += share.step) {
      sm90::barrier_wait(HasWorkers ? done(at.slot) : full(at.slot), at.full_parity());
      if (to != nullptr)
        sm90::store_bulk(reinterpret_cast<unsigned char*>(to) + offset, piece(at.slot, 0),
                         share.length(offset));
      if (next < share.bytes) {
        // Into the stage of the piece before this one: its store has read it once this one's alone is left.
        if (to != nullptr) sm90::wait_for_stores_to_read<1>();
        load_next();
      }
      at.advance(bulk_stages);
    }
    if (to != nullptr) sm90::wait_for_stores_to_read<0>();
  }

  // The working warps, all their threads: work(place of a vector in the stage's first piece) for every
  // vector. The fence orders what they wrote before its store, and what they read before the next load into
  // the same place.
  template <typename Work>
  __device__ __forceinline__ void work_on(const BulkShare& share, Work work) const {
    const std::uint32_t worker = threadIdx.x - bulk_mover_threads;
    RingPosition at;
    for (std::size_t offset = share.first; offset < share.bytes; offset += share.step) {
      sm90::barrier_wait(full(at.slot), at.full_parity());
      const std::uint32_t bytes = share.length(offset);
      for (std::uint32_t v = worker * 16; v < bytes; v += bulk_workers * 16) work(piece(at.slot, 0) + v);
      sm90::fence_for_store();
      __syncwarp();
      if (worker % 32 == 0) sm90::barrier_arrive(done(at.slot));
      at.advance(bulk_stages);
    }
  }
};

template <typename Map>
__device__ __forceinline__ float4 map_vectors(Map map, float4 b) {
  return make_float4(map(b.x), map(b.y), map(b.z), map(b.w));
}
template <typename Map>
__device__ __forceinline__ float4 map_vectors(Map map, float4 b, float4 c) {
  return make_float4(map(b.x, c.x), map(b.y, c.y), map(b.z, c.z), map(b.w, c.w));
}

/// a[i] = map(b[i]), or map(b[i], c[i]). Blocks of bulk_threads<Map>() threads and BulkRing<Map::inputs>'s
/// shared bytes; any number of blocks.
template <typename Map>
constexpr bool bulk_has_workers = !std::is_same_v<Map, Same>;
template <typename Map>
constexpr int bulk_threads = bulk_mover_threads + (bulk_has_workers<Map> ? bulk_workers : 0);
template <typename Map>
__global__ void __launch_bounds__(bulk_threads<Map>)
    bulk_map_kernel(const float* __restrict__ b, const float* __restrict__ c, float* __restrict__ a,
                    std::size_t count, Map map) {
#if GPUGAUGE_HAS_BULK_COPIES
  constexpr int inputs = Map::inputs;
  const BulkRing<inputs> ring{ptx::dynamic_shared()};
  const BulkShare share(count, ring.piece_bytes, blockIdx.x, gridDim.x);
  const std::size_t tail = share.bytes / sizeof(float) + threadIdx.x;
  if (blockIdx.x == 0 && tail < count) {
    if constexpr (inputs == 1)
      a[tail] = map(b[tail]);
    else
      a[tail] = map(b[tail], c[tail]);
  }
  if (threadIdx.x == 0) ring.make_barriers();
  __syncthreads();
  if (threadIdx.x == 0) {
    if constexpr (inputs == 1)
      ring.template move<bulk_has_workers<Map>>({b}, a, share);
    else
      ring.template move<bulk_has_workers<Map>>({b, c}, a, share);
  }
  if constexpr (bulk_has_workers<Map>)
    if (threadIdx.x >= bulk_mover_threads)
      ring.work_on(share, [&](std::uint32_t place) {
        const float4 from_b = sm90::load_vector(place);
        if constexpr (inputs == 1)
          sm90::store_vector(place, map_vectors(map, from_b));
        else
          sm90::store_vector(place, map_vectors(map, from_b, sm90::load_vector(place + ring.piece_bytes)));
      });
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

static __global__ void __launch_bounds__(bulk_mover_threads + bulk_workers)
    bulk_read_kernel(const float* __restrict__ data, std::size_t count,
                     unsigned long long* __restrict__ partial_sums) {
#if GPUGAUGE_HAS_BULK_COPIES
  const BulkRing<1> ring{ptx::dynamic_shared()};
  const BulkShare share(count, ring.piece_bytes, blockIdx.x, gridDim.x);
  if (threadIdx.x == 0) ring.make_barriers();
  __syncthreads();
  if (threadIdx.x == 0) ring.move<true>({data}, nullptr, share);
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

/// Stores of a writing block, at most, that have not read their piece yet.
constexpr int bulk_writes_open = 8;

/// Blocks of bulk_mover_threads threads and bulk_stage_bytes of shared memory: one piece of values, stored
/// again and again.
static __global__ void __launch_bounds__(bulk_mover_threads)
    bulk_write_kernel(float value, float* to, std::size_t count) {
#if GPUGAUGE_HAS_BULK_COPIES
  const std::uint32_t piece = ptx::dynamic_shared();
  const BulkShare share(count, bulk_stage_bytes, blockIdx.x, gridDim.x);
  const std::size_t tail = share.bytes / sizeof(float) + threadIdx.x;
  if (blockIdx.x == 0 && tail < count) to[tail] = value;
  for (std::uint32_t v = threadIdx.x * 16; v < bulk_stage_bytes; v += bulk_mover_threads * 16)
    sm90::store_vector(piece + v, make_float4(value, value, value, value));
  sm90::fence_for_store();
  __syncwarp();
  if (threadIdx.x != 0) return;
  for (std::size_t offset = share.first; offset < share.bytes; offset += share.step) {
    sm90::store_bulk(reinterpret_cast<unsigned char*>(to) + offset, piece, share.length(offset));
    // Nothing is to be reused, but how many stores may be open at once is nowhere said.
    sm90::wait_for_stores_to_read<bulk_writes_open>();
  }
  sm90::wait_for_stores_to_read<0>();
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

}  // namespace gpugauge::kernels::memory
