// The device code of simt_ladder.hpp: the two steps that precede the register tiles of simt_fp32.cuh.
#pragma once

#include <cstddef>

namespace gpugauge::kernels::gemm::simt {

constexpr int ladder_tile = 32;  // block computes 32 x 32 elements of C, one per thread
constexpr int ladder_threads = ladder_tile * ladder_tile;

struct LadderPlace {
  int row, column;  // in C
};

/// Lanes of a warp compute neighbouring columns: they share the element of A and read 128 consecutive bytes
/// of B.
__device__ __forceinline__ LadderPlace ladder_place(int n) {
  const int columns = (n + ladder_tile - 1) / ladder_tile;
  const int block = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  return {block / columns * ladder_tile + thread / ladder_tile,
          block % columns * ladder_tile + thread % ladder_tile};
}

__global__ void __launch_bounds__(ladder_threads)
    naive_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
                 int n, int k) {
  const LadderPlace at = ladder_place(n);
  if (at.row >= m || at.column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum = fmaf(a[static_cast<std::size_t>(at.row) * k + i], b[static_cast<std::size_t>(i) * n + at.column],
               sum);
  c[static_cast<std::size_t>(at.row) * n + at.column] = sum;
}

struct LadderTiles {
  float a[ladder_tile][ladder_tile];
  float b[ladder_tile][ladder_tile];
};

/// Every element loaded from global memory serves 32 products. Each thread still makes two shared-memory
/// loads per product, which is the bottleneck.
__global__ void __launch_bounds__(ladder_threads)
    shared_tile_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
                       int n, int k) {
  __shared__ LadderTiles tiles;
  const LadderPlace at = ladder_place(n);
  const int y = static_cast<int>(threadIdx.x) / ladder_tile;
  const int x = static_cast<int>(threadIdx.x) % ladder_tile;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += ladder_tile) {
    const bool in_a = at.row < m && k0 + x < k;
    const bool in_b = k0 + y < k && at.column < n;
    tiles.a[y][x] = in_a ? a[static_cast<std::size_t>(at.row) * k + k0 + x] : 0;
    tiles.b[y][x] = in_b ? b[static_cast<std::size_t>(k0 + y) * n + at.column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ladder_tile; ++i) sum = fmaf(tiles.a[y][i], tiles.b[i][x], sum);
    __syncthreads();
  }
  if (at.row < m && at.column < n) c[static_cast<std::size_t>(at.row) * n + at.column] = sum;
}

}  // namespace gpugauge::kernels::gemm::simt
