// The device code of tiles.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/integrity/tiles.hpp"
#include "kernels/support/ptx.cuh"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::integrity {

constexpr int tile_threads = 128;  // 4 warps, each a quarter of the tile
constexpr int warp_edge = tile_edge / 2;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/// Two consecutive bf16, the first in the lower half. `index` is even and the matrix 4-byte aligned.
__device__ __forceinline__ std::uint32_t pair_at(const Bf16* matrix, std::size_t index) {
  return *reinterpret_cast<const std::uint32_t*>(matrix + index);
}

#endif

/// One block per tile, in the order of tile numbers. SmOf()() returns the number of the SM that runs the
/// block.
template <typename SmOf>
static __global__ void __launch_bounds__(tile_threads)
    tile_kernel(const Bf16* __restrict__ a, const Bf16* __restrict__ bt, float* __restrict__ c, int n, int k,
                unsigned long long* __restrict__ sums, std::uint32_t* __restrict__ sms, SmOf sm_of) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  __shared__ unsigned long long warp_sums[tile_threads / 32];
  const int tile = static_cast<int>(blockIdx.x);
  const int across = n / tile_edge;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int g = lane / 4;
  const int q = lane % 4;
  const int first_row = tile / across * tile_edge + warp / 2 * warp_edge;
  const int first_column = tile % across * tile_edge + warp % 2 * warp_edge;
  const auto length = static_cast<std::size_t>(k);
  float acc[warp_edge / 16][warp_edge / 8][4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    std::uint32_t from_a[warp_edge / 16][4];
    std::uint32_t from_b[warp_edge / 8][2];
    const auto at = static_cast<std::size_t>(k0 + 2 * q);
#pragma unroll
    for (int i = 0; i < warp_edge / 16; ++i) {
      const std::size_t row = static_cast<std::size_t>(first_row + i * 16 + g) * length + at;
      from_a[i][0] = pair_at(a, row);
      from_a[i][1] = pair_at(a, row + 8 * length);
      from_a[i][2] = pair_at(a, row + 8);
      from_a[i][3] = pair_at(a, row + 8 * length + 8);
    }
#pragma unroll
    for (int j = 0; j < warp_edge / 8; ++j) {
      const std::size_t column = static_cast<std::size_t>(first_column + j * 8 + g) * length + at;
      from_b[j][0] = pair_at(bt, column);
      from_b[j][1] = pair_at(bt, column + 8);
    }
#pragma unroll
    for (int i = 0; i < warp_edge / 16; ++i)
#pragma unroll
      for (int j = 0; j < warp_edge / 8; ++j)
        ptx::mma_bf16_16x8x16(acc[i][j], from_a[i], from_b[j][0], from_b[j][1]);
  }
  unsigned long long sum = 0;
#pragma unroll
  for (int i = 0; i < warp_edge / 16; ++i)
#pragma unroll
    for (int j = 0; j < warp_edge / 8; ++j)
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int row = first_row + i * 16 + part / 2 * 8 + g;
        const int column = first_column + j * 8 + 2 * q + part % 2;
        const std::size_t index = static_cast<std::size_t>(row) * static_cast<std::size_t>(n) + column;
        c[index] = acc[i][j][part];
        sum += checksum_term(index, bits_of(acc[i][j][part]));
      }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffU, sum, offset);
  if (lane == 0) warp_sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long total = 0;
    for (const unsigned long long part : warp_sums) total += part;
    sums[tile] = total;
    sms[tile] = sm_of();
  }
#endif
}

}  // namespace gpugauge::kernels::integrity
