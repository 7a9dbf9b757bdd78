// The device code of simt_fp32.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/simt_steps.cuh"

namespace gpugauge::kernels::gemm::simt {

struct Stage {
  float a[tile_k][pitch_a];
  float b[tile_k][pitch_b];
};

__device__ __forceinline__ void store_a(Stage& stage, const Load& load) {
  const int thread = threadIdx.x;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    const int k = part * 8 + thread % 2 * 4;
    stage.a[k + 0][thread / 2] = load.part[part].x;
    stage.a[k + 1][thread / 2] = load.part[part].y;
    stage.a[k + 2][thread / 2] = load.part[part].z;
    stage.a[k + 3][thread / 2] = load.part[part].w;
  }
}

__device__ __forceinline__ void store_b(Stage& stage, const Load& load) {
  const int thread = threadIdx.x;
#pragma unroll
  for (int part = 0; part < 2; ++part)
    *reinterpret_cast<float4*>(&stage.b[part * 8 + thread / 32][thread % 32 * 4]) = load.part[part];
}

// The part of a row of B that a thread needs.
struct Fragments {
  float4 left, right;
};

__device__ __forceinline__ void add_products(float (&sums)[8][8], int first_row, float4 a,
                                             const Fragments& b) {
  const float of_a[4] = {a.x, a.y, a.z, a.w};
  const float of_b[8] = {b.left.x, b.left.y, b.left.z, b.left.w, b.right.x, b.right.y, b.right.z, b.right.w};
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) sums[first_row + i][j] = fmaf(of_a[i], of_b[j], sums[first_row + i][j]);
}

template <bool Wide>
__device__ __forceinline__ void store_row(float* __restrict__ c, int row, int column, int m, int n,
                                          float4 value) {
  if (row >= m) return;
  float* const to = c + static_cast<std::size_t>(row) * n + column;
  if (Wide) {
    if (column < n) *reinterpret_cast<float4*>(to) = value;
  } else {
    if (column < n) to[0] = value.x;
    if (column + 1 < n) to[1] = value.y;
    if (column + 2 < n) to[2] = value.z;
    if (column + 3 < n) to[3] = value.w;
  }
}

/// Adds the products of one stage to the thread's sums. Meanwhile it fills the next stage, which nobody
/// reads, with the tiles at `next_k`. The two inputs are copied one after the other, each during half of the
/// products, which needs fewer registers. `row` and `column`: of the thread's first element in the tile.
template <typename Steps>
__device__ __forceinline__ void multiply(float (&sums)[8][8], const Stage& stage, int row, int column,
                                         const Steps& tiles, int next_k, Stage& next) {
  Load load;
  tiles.read_a(load, next_k);
  float4 above = four(&stage.a[0][row]);
  Fragments b[2];
  b[0] = {four(&stage.b[0][column]), four(&stage.b[0][column + 32])};
#pragma unroll
  for (int k = 0; k < tile_k; ++k) {
    if (k == tile_k / 2) {
      store_a(next, load);
      tiles.read_b(load, next_k);
    }
    const float4 below = four(&stage.a[k][row + 16]);
    if (k + 1 < tile_k) b[(k + 1) % 2] = {four(&stage.b[k + 1][column]), four(&stage.b[k + 1][column + 32])};
    add_products(sums, 0, above, b[k % 2]);
    if (k + 1 < tile_k) above = four(&stage.a[k + 1][row]);
    add_products(sums, 4, below, b[k % 2]);
  }
  store_b(next, load);
}

template <typename Steps>
__global__ void __launch_bounds__(threads, Steps::blocks_per_sm)
    simt_fp32_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
                     int n, int k, TileOrder order) {
  __shared__ Stage stages[2];
  const Tile tile = order.tile(static_cast<int>(blockIdx.x));
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp / 2 * 32 + lane / 8 * 4;     // within the tile; also 16 further down
  const int column = warp % 2 * 64 + lane % 8 * 4;  // within the tile; also 32 further right

  float sums[8][8] = {};
  const Steps tiles(a, b, m, n, k, tile);
  Load load;
  tiles.read_a(load, 0);
  store_a(stages[0], load);
  tiles.read_b(load, 0);
  store_b(stages[0], load);
  __syncthreads();

  const int last = (k - 1) / tile_k;
  for (int step = 0; step <= last; ++step) {
    // The last step copies its own tiles again, into a stage that nobody reads, so that the loop needs no
    // branch.
    multiply(sums, stages[step % 2], row, column, tiles, (step < last ? step + 1 : last) * tile_k,
             stages[1 - step % 2]);
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int to_row = tile.row * tile_m + row + i / 4 * 16 + i % 4;
#pragma unroll
    for (int half = 0; half < 2; ++half)
      store_row<Steps::wide>(c, to_row, tile.column * tile_n + column + half * 32, m, n,
                             make_float4(sums[i][half * 4], sums[i][half * 4 + 1], sums[i][half * 4 + 2],
                                         sums[i][half * 4 + 3]));
  }
}

}  // namespace gpugauge::kernels::gemm::simt
