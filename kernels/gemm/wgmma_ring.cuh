// The device code of the warp-specialised products of wgmma.hpp. One producer thread fills a ring of stages
// by TMA, and one or two consumer warpgroups multiply. The configuration selects the step of the ladder.
#pragma once

#include <cstdint>

#include "kernels/gemm/scheduler.hpp"
#include "kernels/gemm/wgmma_configs.hpp"
#include "kernels/gemm/wgmma_pipeline.cuh"
#include "kernels/gemm/wgmma_store.cuh"
#include "kernels/support/programmatic.cuh"

namespace gpugauge::kernels::gemm {

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
    Result<R> result;
    for (int unit = first_unit; unit < schedule.units(); unit += unit_stride) {
      float sums[R::blocks_each][R::tile_n / 2];
      if constexpr (Config::overlap_store) {
        ring.step(sums, at, last, group, true, [] {});
        multiply_and_store(ring, sums, at, last, group, k_tiles, map_c, result);
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
        if constexpr (!Config::overlap_store) store(ring, map_c, result, group);
      } else {
#pragma unroll
        for (int block = 0; block < R::blocks_each; ++block)
          store_sums(c, sums[block], result.row + block * 64, result.column, m, n);
      }
    }
    if constexpr (Config::overlap_store)
      if (result.held) store(ring, map_c, result, group);
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
