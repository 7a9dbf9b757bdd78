// The device code of simt_fp32.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/tiling.hpp"

namespace gpugauge::kernels::gemm::simt {

// A block makes a 128x128 tile with 8 warps of 32x64, a thread 8x8 elements: rows lane_row*4 + {0..3} and 16
// further down, columns lane_column*4 + {0..3} and 32 further right. The two fragments of a step are then
// 16-byte loads in which eight lanes share one address (A) or cover 128 consecutive bytes (B): no bank
// conflict.
constexpr int tile_m = 128;
constexpr int tile_n = 128;
constexpr int tile_k = 16;
constexpr int threads = 256;
constexpr int pitch_a =
    tile_m + 4;  // A lies transposed; 4 more floats keep its transposing stores apart in the banks
constexpr int pitch_b = tile_n;
static_assert(pitch_a % 4 == 0, "16-byte loads of A need rows that begin at multiples of 16 bytes");
static_assert(tile_m * tile_k == threads * 8 && tile_n * tile_k == threads * 8,
              "a thread loads 8 elements of each");

struct Shared {
  float a[2][tile_k][pitch_a];
  float b[2][tile_k][pitch_b];
};

// What a thread carries from global to shared memory: two groups of four elements of each input.
struct Loads {
  float4 a[2];
  float4 b[2];
};

template <bool Wide>
__device__ __forceinline__ float4 load_row(const float* __restrict__ matrix, int row, int column, int rows,
                                           int columns) {
  float4 value = make_float4(0, 0, 0, 0);
  if (row >= rows) return value;
  const float* const from = matrix + static_cast<std::size_t>(row) * columns + column;
  if (Wide) {
    if (column < columns) value = *reinterpret_cast<const float4*>(from);
  } else {
    if (column < columns) value.x = from[0];
    if (column + 1 < columns) value.y = from[1];
    if (column + 2 < columns) value.z = from[2];
    if (column + 3 < columns) value.w = from[3];
  }
  return value;
}

template <bool Wide>
__device__ __forceinline__ void load_tiles(Loads& loads, const float* __restrict__ a,
                                           const float* __restrict__ b, int m, int n, int k, Tile tile,
                                           int k0) {
  const int thread = threadIdx.x;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    loads.a[part] = load_row<Wide>(a, tile.row * tile_m + thread / 2, k0 + part * 8 + thread % 2 * 4, m, k);
    loads.b[part] =
        load_row<Wide>(b, k0 + part * 8 + thread / 32, tile.column * tile_n + thread % 32 * 4, k, n);
  }
}

__device__ __forceinline__ void store_tiles(Shared& shared, const Loads& loads, int buffer) {
  const int thread = threadIdx.x;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    const int k = part * 8 + thread % 2 * 4;
    shared.a[buffer][k + 0][thread / 2] = loads.a[part].x;
    shared.a[buffer][k + 1][thread / 2] = loads.a[part].y;
    shared.a[buffer][k + 2][thread / 2] = loads.a[part].z;
    shared.a[buffer][k + 3][thread / 2] = loads.a[part].w;
    *reinterpret_cast<float4*>(&shared.b[buffer][part * 8 + thread / 32][thread % 32 * 4]) = loads.b[part];
  }
}

__device__ __forceinline__ void load_fragment(float (&to)[8], const float* row, int apart) {
  const float4 first = *reinterpret_cast<const float4*>(row);
  const float4 second = *reinterpret_cast<const float4*>(row + apart);
  to[0] = first.x, to[1] = first.y, to[2] = first.z, to[3] = first.w;
  to[4] = second.x, to[5] = second.y, to[6] = second.z, to[7] = second.w;
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

template <bool Wide>
__global__ void __launch_bounds__(threads, 2)
    simt_fp32_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
                     int n, int k, TileOrder order) {
  __shared__ Shared shared;
  const Tile tile = order.tile(static_cast<int>(blockIdx.x));
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp / 2 * 32 + lane / 8 * 4;     // within the tile; and 16 further down
  const int column = warp % 2 * 64 + lane % 8 * 4;  // within the tile; and 32 further right

  float sums[8][8] = {};
  Loads loads;
  load_tiles<Wide>(loads, a, b, m, n, k, tile, 0);
  store_tiles(shared, loads, 0);
  __syncthreads();

  const int steps = (k + tile_k - 1) / tile_k;
  for (int step = 0; step < steps; ++step) {
    const int buffer = step % 2;
    if (step + 1 < steps) load_tiles<Wide>(loads, a, b, m, n, k, tile, (step + 1) * tile_k);
    float from_a[2][8];
    float from_b[2][8];
    load_fragment(from_a[0], &shared.a[buffer][0][row], 16);
    load_fragment(from_b[0], &shared.b[buffer][0][column], 32);
#pragma unroll
    for (int inner = 0; inner < tile_k; ++inner) {
      if (inner + 1 < tile_k) {
        load_fragment(from_a[(inner + 1) % 2], &shared.a[buffer][inner + 1][row], 16);
        load_fragment(from_b[(inner + 1) % 2], &shared.b[buffer][inner + 1][column], 32);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[i][j] = fmaf(from_a[inner % 2][i], from_b[inner % 2][j], sums[i][j]);
    }
    // The other buffer was last read before the barrier of the step before.
    if (step + 1 < steps) store_tiles(shared, loads, 1 - buffer);
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int to_row = tile.row * tile_m + row + i / 4 * 16 + i % 4;
#pragma unroll
    for (int half = 0; half < 2; ++half)
      store_row<Wide>(c, to_row, tile.column * tile_n + column + half * 32, m, n,
                      make_float4(sums[i][half * 4], sums[i][half * 4 + 1], sums[i][half * 4 + 2],
                                  sums[i][half * 4 + 3]));
  }
}

}  // namespace gpugauge::kernels::gemm::simt
