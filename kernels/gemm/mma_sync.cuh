// The device code of mma_bf16.hpp and mma_fp16.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/mma_tile.cuh"
#include "kernels/support/bf16.hpp"
#include "kernels/support/epilogue.cuh"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels::gemm::mma {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

__device__ __forceinline__ void multiply(Bf16, float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                         std::uint32_t b1) {
  ptx::mma_bf16_16x8x16(c, a, b0, b1);
}
__device__ __forceinline__ void multiply(Fp16, float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                         std::uint32_t b1) {
  ptx::mma_fp16_16x8x16(c, a, b0, b1);
}

// One warp's operands of a step of 16 along k: four 16x16 blocks of A, eight 16x8 blocks of B in pairs.
struct Fragments {
  std::uint32_t a[warp_m / 16][4];
  std::uint32_t b[warp_n / 16][4];

  __device__ __forceinline__ void load(std::uint32_t stage, int warp_row, int warp_column, int inner) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i)
      ptx::load_matrices(a[i], stage + swizzle_4(warp_row + i * 16 + lane % 16, inner * 2 + lane / 16) * 16);
#pragma unroll
    for (int j = 0; j < warp_n / 16; ++j)
      ptx::load_matrices_transposed(
          b[j],
          stage +
              (a_chunks + swizzle_16(inner * 16 + lane % 16, warp_column / chunk + j * 2 + lane / 16)) * 16);
  }
};

template <typename Out>
__device__ __forceinline__ void store_tile(Out* __restrict__ c,
                                           const float (&sums)[warp_m / 16][warp_n / 8][4], int first_row,
                                           int first_column, int m, int n) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < warp_m / 16; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + i * 16 + half * 8 + lane / 4;
#pragma unroll
      for (int j = 0; j < warp_n / 8; j += 2) {
        const int column = first_column + j * 8;
        const float first[2] = {sums[i][j][half * 2], sums[i][j][half * 2 + 1]};
        const float second[2] = {sums[i][j + 1][half * 2], sums[i][j + 1][half * 2 + 1]};
        Out* const to = row < m ? c + static_cast<std::size_t>(row) * n + column : nullptr;
        store_row_pair(to, first, second, column < n, column + 8 < n);
      }
    }
}

#endif

/// In: Bf16 or Fp16; Out: the same or float. Operands of the next step of 16 along k are loaded from shared
/// memory while the current ones are multiplied, across stages too.
template <typename In, typename Out>
__global__ void __launch_bounds__(threads, 1)
    mma_sync_kernel(const In* __restrict__ a, const In* __restrict__ b, Out* __restrict__ c, int m, int n,
                    int k, TileOrder order) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const std::uint32_t ring = ptx::dynamic_shared();
  const Tile tile = order.tile(static_cast<int>(blockIdx.x));
  Copier<In> copier(a, b, m, n, k, tile);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / warps_n * warp_m;
  const int warp_column = warp % warps_n * warp_n;
  const int steps = (k + tile_k - 1) / tile_k;
  constexpr int inner_steps = tile_k / 16;
  static_assert(inner_steps % 2 == 0, "a stage begins with the first of the two sets of fragments");

  // Every step closes a group, filled or not, so that the count of pending groups stays constant to the end.
#pragma unroll
  for (int step = 0; step < stages - 1; ++step) {
    if (step < steps) copier.fill(ring + step * stage_bytes);
    ptx::copy_async_commit();
  }
  const auto behind = [&](std::uint32_t stage) {
    return stage + stage_bytes == ring + shared_bytes ? ring : stage + stage_bytes;
  };
  std::uint32_t stage = ring;
  std::uint32_t next_fill = ring + (stages - 1) * stage_bytes;
  ptx::copy_async_wait<stages - 2>();
  __syncthreads();
  Fragments fragments[2];
  fragments[0].load(stage, warp_row, warp_column, 0);

  float sums[warp_m / 16][warp_n / 8][4] = {};
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int inner = 0; inner < inner_steps; ++inner) {
      Fragments& next = fragments[(inner + 1) % 2];
      if (inner + 1 < inner_steps) {
        next.load(stage, warp_row, warp_column, inner + 1);
      } else {
        // The next stage has arrived for all threads, and all have read this one. After the last step a stage
        // is loaded that is never multiplied.
        ptx::copy_async_wait<stages - 2>();
        __syncthreads();
        stage = behind(stage);
        next.load(stage, warp_row, warp_column, 0);
      }
      if (inner == 0) {  // refill the stage of the previous step
        if (step + stages - 1 < steps) copier.fill(next_fill);
        ptx::copy_async_commit();
        next_fill = behind(next_fill);
      }
      const Fragments& now = fragments[inner % 2];
#pragma unroll
      for (int i = 0; i < warp_m / 16; ++i)
#pragma unroll
        for (int turn = 0; turn < warp_n / 8; ++turn) {
          // Alternates direction, so that consecutive instructions share an operand.
          const int j = i % 2 == 0 ? turn : warp_n / 8 - 1 - turn;
          multiply(In{}, sums[i][j], now.a[i], now.b[j / 2][j % 2 * 2], now.b[j / 2][j % 2 * 2 + 1]);
        }
    }
  }
  store_tile(c, sums, tile.row * tile_m + warp_row, tile.column * tile_n + warp_column, m, n);
#endif
}

}  // namespace gpugauge::kernels::gemm::mma
