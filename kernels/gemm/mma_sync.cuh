// The device code of mma_bf16.hpp and mma_fp16.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/tiling.hpp"
#include "kernels/support/bf16.hpp"
#include "kernels/support/epilogue.cuh"
#include "kernels/support/ptx.cuh"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels::gemm::mma {

// A block makes a 128x128 tile with 4 warps of 64x64. Tiles of A (128x32) and B (32x128) pass through a ring
// of shared-memory stages that cp.async fills `stages - 1` steps ahead.
constexpr int tile_m = 128;
constexpr int tile_n = 128;
constexpr int tile_k = 32;
constexpr int stages = 4;
constexpr int threads = 128;
constexpr int warp_m = 64;
constexpr int warp_n = 64;
constexpr int chunk = 8;  // elements of 16 bits in 16 bytes
constexpr int a_chunks = tile_m * tile_k / chunk;
constexpr int b_chunks = tile_k * tile_n / chunk;
constexpr int stage_bytes = (a_chunks + b_chunks) * 16;
constexpr int shared_bytes = stages * stage_bytes;
static_assert(tile_k / chunk == 4 && tile_n / chunk == 16,
              "the swizzles are made for rows of 4 and of 16 chunks");
static_assert(a_chunks % threads == 0 && b_chunks % threads == 0,
              "every thread copies as many chunks as the next");
static_assert(shared_bytes <= 99 * 1024,
              "compute capability 8.6 and 8.9 have 99 KiB of shared memory a block");

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

// One thread's share of filling a stage: which chunks it copies is the same in every step.
template <typename In>
struct Copier {
  const In* a;
  const In* b;
  int m, n, k;
  Tile tile;

  __device__ __forceinline__ void fill(std::uint32_t stage, int k0) const {
    const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int part = 0; part < a_chunks / threads; ++part) {
      const int index = part * threads + thread;
      const int row = index / 4;
      const int from_row = tile.row * tile_m + row;
      const int from_k = k0 + index % 4 * chunk;
      const bool valid = from_row < m && from_k < k;
      const In* const from = valid ? a + static_cast<std::size_t>(from_row) * k + from_k : a;
      ptx::copy_async_16(stage + swizzle_4(row, index % 4) * 16, from, valid);
    }
#pragma unroll
    for (int part = 0; part < b_chunks / threads; ++part) {
      const int index = part * threads + thread;
      const int row = index / 16;
      const int from_k = k0 + row;
      const int from_column = tile.column * tile_n + index % 16 * chunk;
      const bool valid = from_k < k && from_column < n;
      const In* const from = valid ? b + static_cast<std::size_t>(from_k) * n + from_column : b;
      ptx::copy_async_16(stage + (a_chunks + swizzle_16(row, index % 16)) * 16, from, valid);
    }
  }
};

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

/// In: Bf16 or Fp16; Out: the same or float.
template <typename In, typename Out>
__global__ void __launch_bounds__(threads, 2)
    mma_sync_kernel(const In* __restrict__ a, const In* __restrict__ b, Out* __restrict__ c, int m, int n,
                    int k, TileOrder order) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const std::uint32_t ring = ptx::dynamic_shared();
  const Copier<In> copier{a, b, m, n, k, order.tile(static_cast<int>(blockIdx.x))};
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / 2 * warp_m;
  const int warp_column = warp % 2 * warp_n;
  const int steps = (k + tile_k - 1) / tile_k;

  // A group is closed in every step, filled or not, so that the count of pending groups stays the same to the
  // end.
#pragma unroll
  for (int step = 0; step < stages - 1; ++step) {
    if (step < steps) copier.fill(ring + step * stage_bytes, step * tile_k);
    ptx::copy_async_commit();
  }

  float sums[warp_m / 16][warp_n / 8][4] = {};
  for (int step = 0; step < steps; ++step) {
    ptx::copy_async_wait<stages - 2>();
    __syncthreads();  // this step's stage is there for all; the stage filled next was read by all one step
                      // ago
    const int next = step + stages - 1;
    if (next < steps) copier.fill(ring + next % stages * stage_bytes, next * tile_k);
    ptx::copy_async_commit();

    const std::uint32_t stage = ring + step % stages * stage_bytes;
    Fragments fragments[2];
    fragments[0].load(stage, warp_row, warp_column, 0);
#pragma unroll
    for (int inner = 0; inner < tile_k / 16; ++inner) {
      if (inner + 1 < tile_k / 16) fragments[(inner + 1) % 2].load(stage, warp_row, warp_column, inner + 1);
      const Fragments& now = fragments[inner % 2];
#pragma unroll
      for (int i = 0; i < warp_m / 16; ++i)
#pragma unroll
        for (int j = 0; j < warp_n / 8; ++j)
          multiply(In{}, sums[i][j], now.a[i], now.b[j / 2][j % 2 * 2], now.b[j / 2][j % 2 * 2 + 1]);
    }
  }
  store_tile(c, sums, copier.tile.row * tile_m + warp_row, copier.tile.column * tile_n + warp_column, m, n);
#endif
}

}  // namespace gpugauge::kernels::gemm::mma
