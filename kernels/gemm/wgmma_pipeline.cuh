// The ring of wgmma_ring.cuh: its shared memory and barriers, what fills it, and what multiplies from it.
#pragma once

#include <cstdint>

#include "kernels/gemm/scheduler.hpp"
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
};

}  // namespace gpugauge::kernels::gemm
