// The device code of the warp-specialised products of wgmma.hpp. One producer thread fills a ring of stages
// by TMA, and one or two consumer warpgroups multiply. The configuration selects the step of the ladder.
#pragma once

#include <cstdint>

#include "kernels/gemm/scheduler.hpp"
#include "kernels/gemm/wgmma_configs.hpp"
#include "kernels/gemm/wgmma_stage.cuh"
#include "kernels/support/programmatic.cuh"
#include "kernels/support/ring.hpp"

namespace gpugauge::kernels::gemm {

template <typename In, typename Config>
struct Ring {
  static constexpr int tile_m = 128;
  static constexpr int tile_n = Config::tile_n;
  using Stage = gemm::Stage<In, tile_m, tile_n>;
  static constexpr int threads = (Config::consumers + 1) * 128;
  static constexpr int rows_each = tile_m / Config::consumers;
  static constexpr int blocks_each = rows_each / 64;
  static constexpr int parts = tile_n / 64;  // parts in which C is stored

  // Shared memory: the stages, two boxes of C per consumer, the mbarriers full[stages] and empty[stages].
  static constexpr int box_bytes = 64 * row_bytes;
  static constexpr int boxes_at = Config::stages * Stage::bytes;
  static constexpr int barriers_at = boxes_at + (Config::tma_store ? Config::consumers * 2 * box_bytes : 0);
  static constexpr int shared_bytes = barriers_at + Config::stages * 16 + 1023;
  static_assert(shared_bytes <= 227 * 1024, "compute capability 9.0 has 227 KiB of shared memory a block");
  static_assert(Stage::bytes < 1 << 20, "what a barrier counts in one phase");
  static_assert(!Config::tma_store || (blocks_each == 1 && Stage::b_boxes % 2 == 0),
                "the boxes of C take turns");
  static_assert(!Config::overlap_store || Config::tma_store, "what is overlapped is the store by TMA");
  static_assert(Stage::b_boxes % Config::cluster == 0, "the blocks of a cluster read equal shares of B");

  // A block of three warpgroups starts with 168 registers per thread. The consumers take what the producer
  // releases: 40 + 2 x 232 = 3 x 168.
  static constexpr int producer_registers = 40;
  static constexpr int consumer_registers = 232;
  static_assert(!Config::move_registers || Config::consumers == 2, "the numbers are for three warpgroups");

  std::uint32_t base;  // start of shared memory
  __device__ __forceinline__ std::uint32_t stage(std::uint32_t slot) const {
    return base + slot * Stage::bytes;
  }
  __device__ __forceinline__ std::uint32_t full(std::uint32_t slot) const {
    return base + barriers_at + slot * 8;
  }
  __device__ __forceinline__ std::uint32_t empty(std::uint32_t slot) const {
    return full(slot) + Config::stages * 8;
  }

  __device__ __forceinline__ void make_barriers() const {
    for (std::uint32_t slot = 0; slot < Config::stages; ++slot) {
      sm90::barrier_init(full(slot), 1);
      // Arrivals: every warp of every consumer that reads what this block's producer writes.
      sm90::barrier_init(empty(slot), Config::consumers * 4 * Config::cluster);
    }
    sm90::barrier_init_fence();
  }

  // One warp releases a stage of its own block, and of the other block of the cluster, whose producer also
  // writes here.
  __device__ __forceinline__ void release(std::uint32_t slot) const {
    const std::uint32_t lane = threadIdx.x % 32;
    if constexpr (Config::cluster == 1) {
      if (lane == 0) sm90::barrier_arrive(empty(slot));
    } else {
      if (lane < Config::cluster) sm90::barrier_arrive_in_block(empty(slot), lane);
    }
  }

  // Called by one thread.
  __device__ __forceinline__ void produce(const sm90::TensorMap& a, const sm90::TensorMap& b, int first_unit,
                                          int unit_stride, int rank, int k_tiles,
                                          const Schedule& schedule) const {
    constexpr int share = Stage::b_boxes / Config::cluster;
    RingPosition at;
    for (int unit = first_unit; unit < schedule.units(); unit += unit_stride) {
      const Tile tile = schedule.unit<Config::order>(unit);
      const int row = (tile.row * Config::cluster + rank) * tile_m;
      const int column = tile.column * tile_n;
      for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
        sm90::barrier_wait(empty(at.slot), at.empty_parity());
        // Expect all bytes of the stage: those of A, and of B from both producers.
        sm90::barrier_arrive_expecting(full(at.slot), Stage::bytes);
        const int k = k_tile * Stage::tile_k;
        Stage::load_a(stage(at.slot), a, row, k, full(at.slot));
#pragma unroll
        for (int box = 0; box < share; ++box)
          Stage::template load_b<Config::cluster>(stage(at.slot), b, rank * share + box, column, k,
                                                  full(at.slot));
        at.advance(Config::stages);
      }
    }
  }

  // Called by one warpgroup. Starts the products of the next stage and calls `beside` while the Tensor Cores
  // work. Then waits for the products of the previous stage, `last`, and releases it. The first step of a
  // tile overwrites the sums.
  template <typename Beside>
  __device__ __forceinline__ void step(float (&sums)[blocks_each][tile_n / 2], RingPosition& at,
                                       std::uint32_t& last, int consumer, bool first,
                                       const Beside& beside) const {
    sm90::barrier_wait(full(at.slot), at.full_parity());
    sm90::wgmma_fence();
#pragma unroll
    for (int along = 0; along < Stage::steps; ++along)
#pragma unroll
      for (int block = 0; block < blocks_each; ++block)
        Stage::multiply(sums[block], stage(at.slot), consumer * rows_each + block * 64, along,
                        !first || along > 0);
    sm90::wgmma_commit();
    beside();
    sm90::wgmma_wait<1>();
    if (!first) release(last);
    last = at.slot;
    at.advance(Config::stages);
  }

  // Called by one warpgroup, for steps `from` to the end of a tile. The last step's wgmma are still in flight
  // on return. The caller releases its stage, `last`, after they end.
  __device__ __forceinline__ void multiply(float (&sums)[blocks_each][tile_n / 2], RingPosition& at,
                                           std::uint32_t& last, int consumer, int from, int k_tiles) const {
    for (int k_tile = from; k_tile < k_tiles; ++k_tile) step(sums, at, last, consumer, k_tile == 0, [] {});
  }

  // One consumer's rows of a finished tile of C, waiting to be stored; none before the first tile.
  struct Result {
    std::uint32_t pairs[tile_n / 4];
    int row = 0;
    int column = 0;
    bool held = false;
  };

  // Stores columns 64 Part to 64 Part + 63 through one of the consumer's two boxes.
  template <int Part>
  __device__ __forceinline__ void store_part(const sm90::TensorMap& c, const Result& result,
                                             int consumer) const {
    const bool leads = threadIdx.x % 128 == 0;
    const std::uint32_t box = base + boxes_at + (consumer * 2 + Part % 2) * box_bytes;
    if (leads) sm90::wait_for_stores_to_read<1>();  // the store of the other box may still read it
    sm90::named_barrier(consumer + 1, 128);
    write_box<Part>(box, result.pairs);
    sm90::fence_for_store();
    sm90::named_barrier(consumer + 1, 128);
    if (leads) sm90::store_box(c, result.column + Part * 64, result.row, box);
  }
  template <int Part = 0>
  __device__ __forceinline__ void store(const sm90::TensorMap& c, const Result& result, int consumer) const {
    store_part<Part>(c, result, consumer);
    if constexpr (Part + 1 < parts) store<Part + 1>(c, result, consumer);
  }

  // Runs steps 1 to `parts` of a tile, and stores one part of the previous tile after the start of each. A
  // short k has fewer steps, but all parts are stored.
  template <int Part = 0>
  __device__ __forceinline__ void multiply_and_store(float (&sums)[blocks_each][tile_n / 2], RingPosition& at,
                                                     std::uint32_t& last, int consumer, int k_tiles,
                                                     const sm90::TensorMap& c, const Result& before) const {
    const auto store_this = [&] {
      if (before.held) store_part<Part>(c, before, consumer);
    };
    if (Part + 1 < k_tiles)
      step(sums, at, last, consumer, false, store_this);
    else
      store_this();
    if constexpr (Part + 1 < parts)
      multiply_and_store<Part + 1>(sums, at, last, consumer, k_tiles, c, before);
  }
};

/// C (m x n, bf16) = A B by `Config` (wgmma_configs.hpp). Launch clusters of Config::cluster blocks, with
/// Ring::threads threads and Ring::shared_bytes bytes per block. Any number of clusters divides the
/// schedule's units.
template <typename In, typename Config>
__global__ void __launch_bounds__(Ring<In, Config>::threads, 1)
    wgmma_ring_kernel(const __grid_constant__ sm90::TensorMap map_a,
                      const __grid_constant__ sm90::TensorMap map_b,
                      const __grid_constant__ sm90::TensorMap map_c, Bf16* c, int m, int n, int k_tiles,
                      const Schedule schedule) {
#if GPUGAUGE_HAS_WGMMA
  using R = Ring<In, Config>;
  const R ring{sm90::shared_base()};
  const int group = sm90::uniform(static_cast<int>(threadIdx.x) / 128);
  const int rank = Config::cluster == 1 ? 0 : static_cast<int>(sm90::cluster_rank());
  const int first_unit = static_cast<int>(blockIdx.x) / Config::cluster;
  const int unit_stride = static_cast<int>(gridDim.x) / Config::cluster;
  if constexpr (Config::early_launch) let_the_next_begin();
  if (threadIdx.x == 0) ring.make_barriers();
  // No block may copy to or arrive at another block before that block has initialised its mbarriers.
  if constexpr (Config::cluster == 1)
    __syncthreads();
  else
    sm90::cluster_barrier();

  if (group == Config::consumers) {
    if constexpr (Config::move_registers) sm90::give_registers<R::producer_registers>();
    if (threadIdx.x % 128 == 0) {
      sm90::prefetch(map_a);
      sm90::prefetch(map_b);
      // Only these copies can touch what the preceding kernel reads or writes: C is stored after the first
      // copies.
      if constexpr (Config::early_launch) wait_for_the_one_ahead();
      ring.produce(map_a, map_b, first_unit, unit_stride, rank, k_tiles, schedule);
    }
  } else {
    if constexpr (Config::move_registers) sm90::take_registers<R::consumer_registers>();
    RingPosition at;
    std::uint32_t last = 0;
    typename R::Result result;
    for (int unit = first_unit; unit < schedule.units(); unit += unit_stride) {
      float sums[R::blocks_each][R::tile_n / 2];
      if constexpr (Config::overlap_store) {
        ring.step(sums, at, last, group, true, [] {});
        ring.multiply_and_store(sums, at, last, group, k_tiles, map_c, result);
        ring.multiply(sums, at, last, group, 1 + R::parts, k_tiles);
      } else {
        ring.multiply(sums, at, last, group, 0, k_tiles);
      }
      const Tile tile = schedule.unit<Config::order>(unit);  // while the last products run
      result.row = (tile.row * Config::cluster + rank) * R::tile_m + group * R::rows_each;
      result.column = tile.column * R::tile_n;
      sm90::wgmma_wait_for(sums);
      ring.release(last);
      if constexpr (Config::tma_store) {
        pack(result.pairs, sums[0]);
        result.held = true;
        if constexpr (!Config::overlap_store) ring.store(map_c, result, group);
      } else {
#pragma unroll
        for (int block = 0; block < R::blocks_each; ++block)
          store_sums(c, sums[block], result.row + block * 64, result.column, m, n);
      }
    }
    if constexpr (Config::overlap_store)
      if (result.held) ring.store(map_c, result, group);
    // Shared memory must not be released while a store still reads it.
    if constexpr (Config::tma_store)
      if (threadIdx.x % 128 == 0) sm90::wait_for_stores_to_read<0>();
  }
  // Nor while the other block still copies to it or arrives at its mbarriers.
  if constexpr (Config::cluster > 1) sm90::cluster_barrier();
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

}  // namespace gpugauge::kernels::gemm
