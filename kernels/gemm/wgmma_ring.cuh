// The device code of the warp-specialised products of wgmma.hpp: one thread fills a ring of stages by TMA,
// one or two warpgroups multiply. The configuration says how far up the ladder a variant stands.
#pragma once

#include <cstdint>

#include "kernels/gemm/scheduler.hpp"
#include "kernels/gemm/wgmma_configs.hpp"
#include "kernels/gemm/wgmma_stage.cuh"
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

  // Shared memory: the stages, two boxes of C for each consumer, the barriers full[stages], empty[stages].
  static constexpr int box_bytes = 64 * row_bytes;
  static constexpr int boxes_at = Config::stages * Stage::bytes;
  static constexpr int barriers_at = boxes_at + (Config::tma_store ? Config::consumers * 2 * box_bytes : 0);
  static constexpr int shared_bytes = barriers_at + Config::stages * 16 + 1023;
  static_assert(shared_bytes <= 227 * 1024, "compute capability 9.0 has 227 KiB of shared memory a block");
  static_assert(Stage::bytes < 1 << 20, "what a barrier counts in one phase");
  static_assert(!Config::tma_store || (blocks_each == 1 && Stage::b_boxes % 2 == 0),
                "the boxes of C take turns");
  static_assert(Stage::b_boxes % Config::cluster == 0, "the blocks of a cluster read equal shares of B");

  // A block of three warpgroups has 168 registers a thread; what the producer gives, the consumers take:
  // 40 + 2 x 232 = 3 x 168.
  static constexpr int producer_registers = 40;
  static constexpr int consumer_registers = 232;
  static_assert(!Config::move_registers || Config::consumers == 2, "the numbers are for three warpgroups");

  std::uint32_t base;  // of shared memory
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
      // Every warp of every consumer that reads what this block's producer writes.
      sm90::barrier_init(empty(slot), Config::consumers * 4 * Config::cluster);
    }
    sm90::barrier_init_fence();
  }

  // One warp lets go of a stage: of its own block's, and of the other's, whose producer writes here as well.
  __device__ __forceinline__ void release(std::uint32_t slot) const {
    const std::uint32_t lane = threadIdx.x % 32;
    if constexpr (Config::cluster == 1) {
      if (lane == 0) sm90::barrier_arrive(empty(slot));
    } else {
      if (lane < Config::cluster) sm90::barrier_arrive_in_block(empty(slot), lane);
    }
  }

  // One thread.
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
        // All of the stage's bytes: those of A, and B's from both producers.
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

  // One warpgroup. The wgmma of a stage run while the next stage is waited for; those of the last one are
  // still under way at the end. Returns the last stage, which is to be released behind them.
  __device__ __forceinline__ std::uint32_t multiply(float (&sums)[blocks_each][tile_n / 2], RingPosition& at,
                                                    int consumer, int k_tiles) const {
    std::uint32_t last = 0;
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
      sm90::barrier_wait(full(at.slot), at.full_parity());
      sm90::wgmma_fence();
#pragma unroll
      for (int step = 0; step < Stage::steps; ++step)
#pragma unroll
        for (int block = 0; block < blocks_each; ++block)
          Stage::multiply(sums[block], stage(at.slot), consumer * rows_each + block * 64, step,
                          k_tile > 0 || step > 0);
      sm90::wgmma_commit();
      sm90::wgmma_wait<1>();
      if (k_tile > 0) release(last);
      last = at.slot;
      at.advance(Config::stages);
    }
    return last;
  }

  // Columns 64 Part to 64 Part + 63 of the tile, through one of the consumer's two boxes.
  template <int Part>
  __device__ __forceinline__ void store_part(const sm90::TensorMap& c, const float (&sums)[tile_n / 2],
                                             int consumer, int row, int column) const {
    const bool leads = threadIdx.x % 128 == 0;
    const std::uint32_t box = base + boxes_at + (consumer * 2 + Part % 2) * box_bytes;
    if (leads) sm90::wait_for_stores_to_read<1>();  // the other box's store may still read
    sm90::named_barrier(consumer + 1, 128);
    write_box<Part>(box, sums);
    sm90::fence_for_store();
    sm90::named_barrier(consumer + 1, 128);
    if (leads) sm90::store_box(c, column + Part * 64, row, box);
    if constexpr (Part + 1 < tile_n / 64) store_part<Part + 1>(c, sums, consumer, row, column);
  }
};

/// C (m x n, bf16) = A B by `Config` (wgmma_configs.hpp). Blocks of Config::cluster, of Ring::threads threads
/// and Ring::shared_bytes bytes; any number of clusters: they share the schedule's units among them.
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
  if (threadIdx.x == 0) ring.make_barriers();
  // No block may copy to, or arrive at, another one that has not made its barriers.
  if constexpr (Config::cluster == 1)
    __syncthreads();
  else
    sm90::cluster_barrier();

  if (group == Config::consumers) {
    if constexpr (Config::move_registers) sm90::give_registers<R::producer_registers>();
    if (threadIdx.x % 128 == 0) {
      sm90::prefetch(map_a);
      sm90::prefetch(map_b);
      ring.produce(map_a, map_b, first_unit, unit_stride, rank, k_tiles, schedule);
    }
  } else {
    if constexpr (Config::move_registers) sm90::take_registers<R::consumer_registers>();
    RingPosition at;
    for (int unit = first_unit; unit < schedule.units(); unit += unit_stride) {
      float sums[R::blocks_each][R::tile_n / 2];
      const std::uint32_t last = ring.multiply(sums, at, group, k_tiles);
      const Tile tile = schedule.unit<Config::order>(unit);  // beside the last products
      const int row = (tile.row * Config::cluster + rank) * R::tile_m + group * R::rows_each;
      const int column = tile.column * R::tile_n;
      sm90::wgmma_wait_for(sums);
      ring.release(last);
      if constexpr (Config::tma_store) {
        ring.template store_part<0>(map_c, sums[0], group, row, column);
      } else {
#pragma unroll
        for (int block = 0; block < R::blocks_each; ++block)
          store_sums(c, sums[block], row + block * 64, column, m, n);
      }
    }
    // Shared memory is not given back under a store that still reads it.
    if constexpr (Config::tma_store)
      if (threadIdx.x % 128 == 0) sm90::wait_for_stores_to_read<0>();
  }
  // Nor under the other block's copies and arrivals.
  if constexpr (Config::cluster > 1) sm90::cluster_barrier();
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

}  // namespace gpugauge::kernels::gemm
