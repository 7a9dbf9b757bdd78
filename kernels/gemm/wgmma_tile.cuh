// The first steps of the wgmma ladder: one warpgroup per tile, which alternately copies, waits and
// multiplies.
#pragma once

#include <cstdint>

#include "kernels/gemm/scheduler.hpp"
#include "kernels/gemm/wgmma_stage.cuh"

namespace gpugauge::kernels::gemm {

template <int TileM, int TileN>
struct WgmmaTile {
  using Stage = gemm::Stage<Bf16, TileM, TileN>;
  static constexpr int threads = 128;
  static constexpr int blocks = TileM / 64;
  static constexpr int shared_bytes = Stage::bytes + 8 + 1023;
};

/// C (m x n) = A B in bf16. Launch one block of 128 threads per tile, no cluster, with
/// WgmmaTile::shared_bytes bytes.
template <int TileM, int TileN>
__global__ void __launch_bounds__(128)
    wgmma_tile_kernel(const __grid_constant__ sm90::TensorMap map_a,
                      const __grid_constant__ sm90::TensorMap map_b, Bf16* c, int m, int n, int k_tiles,
                      const Schedule schedule) {
#if GPUGAUGE_HAS_WGMMA
  using T = WgmmaTile<TileM, TileN>;
  using Stage = typename T::Stage;
  const std::uint32_t stage = sm90::shared_base();
  const std::uint32_t full = stage + Stage::bytes;
  if (threadIdx.x == 0) {
    sm90::barrier_init(full, 1);
    sm90::barrier_init_fence();
  }
  __syncthreads();
  const Tile tile = schedule.unit<Order::row_major>(static_cast<int>(blockIdx.x));
  const int row = tile.row * TileM;
  const int column = tile.column * TileN;

  float sums[T::blocks][TileN / 2];
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    if (threadIdx.x == 0) {
      const int k = k_tile * Stage::tile_k;
      sm90::barrier_arrive_expecting(full, Stage::bytes);
      Stage::load_a(stage, map_a, row, k, full);
#pragma unroll
      for (int box = 0; box < Stage::b_boxes; ++box)
        Stage::template load_b<1>(stage, map_b, box, column, k, full);
    }
    sm90::barrier_wait(full, static_cast<std::uint32_t>(k_tile % 2));
    sm90::wgmma_fence();
#pragma unroll
    for (int step = 0; step < Stage::steps; ++step)
#pragma unroll
      for (int block = 0; block < T::blocks; ++block)
        Stage::multiply(sums[block], stage, block * 64, step, k_tile > 0 || step > 0);
    sm90::wgmma_commit();
    sm90::wgmma_wait_for(sums);
    __syncthreads();  // all threads have read the stage
  }
#pragma unroll
  for (int block = 0; block < T::blocks; ++block) store_sums(c, sums[block], row + block * 64, column, m, n);
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

}  // namespace gpugauge::kernels::gemm
