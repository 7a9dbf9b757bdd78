// The device code of attention.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/primitive/attention.hpp"
#include "kernels/primitive/fast_math.cuh"
#include "kernels/support/epilogue.cuh"
#include "kernels/support/ptx.cuh"

namespace gpugauge::kernels::primitive::attention_tile {

// A block makes 128 rows of one head with 8 warps of 16 rows. Tiles of 64 keys and values pass through two
// stages of shared memory; a warp's scores never leave its registers.
constexpr int warps = 8;
constexpr int threads = warps * 32;
constexpr int query_rows = warps * 16;
constexpr int key_rows = 64;

template <int HeadDim>
constexpr int chunks = HeadDim / 8;  // 16-byte chunks of a row
template <int HeadDim>
constexpr int tile_bytes = key_rows* HeadDim * 2;
template <int HeadDim>
constexpr int shared_bytes = 4 * tile_bytes<HeadDim>;  // two stages of keys and values
static_assert(shared_bytes<128> <= 99 * 1024, "compute capability 8.6 and 8.9 have 99 KiB of shared memory");
static_assert(query_rows == 2 * key_rows, "the queries pass through the second stage");

// Byte of a chunk within a tile: the eight rows that ldmatrix reads lie in eight different columns of banks.
template <int HeadDim>
__device__ __forceinline__ std::uint32_t place(int row, int chunk) {
  return static_cast<std::uint32_t>(row * chunks<HeadDim> + (chunk ^ (row % 8))) * 16;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

// Starts copying `Rows` rows from row `first` on; rows behind `length` become zeros.
template <int HeadDim, int Rows>
__device__ __forceinline__ void copy_rows(std::uint32_t to, const Bf16* from, int first, int length) {
  constexpr int parts = Rows * chunks<HeadDim> / threads;
#pragma unroll
  for (int part = 0; part < parts; ++part) {
    const int index = part * threads + static_cast<int>(threadIdx.x);
    const int row = index / chunks<HeadDim>;
    const int chunk = index % chunks<HeadDim>;
    const bool valid = first + row < length;
    const Bf16* const source =
        valid ? from + static_cast<std::size_t>(first + row) * HeadDim + chunk * 8 : from;
    ptx::copy_async_16(to + place<HeadDim>(row, chunk), source, valid);
  }
}

// What one lane knows of its warp's 16 rows: rows g and g + 8 (g = lane / 4), in the layout of mma's
// accumulators.
template <int HeadDim>
struct Rows {
  std::uint32_t queries[HeadDim / 16][4];
  float scores[key_rows / 8][4];
  float out[HeadDim / 8][4] = {};
  float largest[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0, 0};  // this lane's share

  __device__ __forceinline__ void load_queries(std::uint32_t tile, int row) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < HeadDim / 16; ++i)
      ptx::load_matrices(queries[i], tile + place<HeadDim>(row + lane % 16, i * 2 + lane / 16));
  }

  __device__ __forceinline__ void score(std::uint32_t keys) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int j = 0; j < key_rows / 16; ++j) {
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int c = 0; c < 4; ++c) scores[j * 2 + n][c] = 0;
#pragma unroll
      for (int i = 0; i < HeadDim / 16; ++i) {
        std::uint32_t b[4];
        ptx::load_matrices(b, keys + place<HeadDim>(j * 16 + lane / 16 * 8 + lane % 8, i * 2 + lane / 8 % 2));
        ptx::mma_bf16_16x8x16(scores[j * 2], queries[i], b[0], b[1]);
        ptx::mma_bf16_16x8x16(scores[j * 2 + 1], queries[i], b[2], b[3]);
      }
    }
  }

  // Key columns from `end` on, and with `Causal` those behind the row, count for nothing.
  template <bool Causal>
  __device__ __forceinline__ void mask(int first_row, int first_key, int end) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int j = 0; j < key_rows / 8; ++j)
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int key = first_key + j * 8 + lane % 4 * 2 + c % 2;
        const int row = first_row + lane / 4 + c / 2 * 8;
        if (key >= end || (Causal && key > row)) scores[j][c] = -INFINITY;
      }
  }

  // Turns scores into weights 2^(scale (score - largest)), with what came before brought to the new largest.
  // The first tile has a key for every row, so that `largest` is finite from then on.
  __device__ __forceinline__ void weigh(float scale) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float most = largest[half];
#pragma unroll
      for (int j = 0; j < key_rows / 8; ++j)
        most = fmaxf(most, fmaxf(scores[j][half * 2], scores[j][half * 2 + 1]));
      most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, 1));
      most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, 2));
      const float shrink = exp2_approx((largest[half] - most) * scale);
      largest[half] = most;
      const float offset = most * scale;
      sum[half] *= shrink;
#pragma unroll
      for (int j = 0; j < key_rows / 8; ++j)
#pragma unroll
        for (int c = half * 2; c < half * 2 + 2; ++c) {
          scores[j][c] = exp2_approx(fmaf(scores[j][c], scale, -offset));
          sum[half] += scores[j][c];
        }
#pragma unroll
      for (int d = 0; d < HeadDim / 8; ++d) {
        out[d][half * 2] *= shrink;
        out[d][half * 2 + 1] *= shrink;
      }
    }
  }

  // An accumulator's layout is that of an operand once neighbouring columns are packed.
  __device__ __forceinline__ void add_values(std::uint32_t values) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int j = 0; j < key_rows / 16; ++j) {
      const float(&left)[4] = scores[j * 2];
      const float(&right)[4] = scores[j * 2 + 1];
      const std::uint32_t weights[4] = {ptx::pack_bf16(left[0], left[1]), ptx::pack_bf16(left[2], left[3]),
                                        ptx::pack_bf16(right[0], right[1]),
                                        ptx::pack_bf16(right[2], right[3])};
#pragma unroll
      for (int d = 0; d < HeadDim / 16; ++d) {
        std::uint32_t b[4];
        ptx::load_matrices_transposed(
            b, values + place<HeadDim>(j * 16 + lane / 8 % 2 * 8 + lane % 8, d * 2 + lane / 16));
        ptx::mma_bf16_16x8x16(out[d * 2], weights, b[0], b[1]);
        ptx::mma_bf16_16x8x16(out[d * 2 + 1], weights, b[2], b[3]);
      }
    }
  }

  // `first_row` is the warp's first row of the head whose output begins at `to`.
  __device__ __forceinline__ void store(Bf16* to, int first_row, int length) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float all = sum[half];
      all += __shfl_xor_sync(0xffffffffU, all, 1);
      all += __shfl_xor_sync(0xffffffffU, all, 2);
      const float factor = 1 / all;
      const int row = first_row + lane / 4 + half * 8;
      Bf16* const line = row < length ? to + static_cast<std::size_t>(row) * HeadDim : nullptr;
#pragma unroll
      for (int d = 0; d < HeadDim / 16; ++d) {
        const float first[2] = {out[d * 2][half * 2] * factor, out[d * 2][half * 2 + 1] * factor};
        const float second[2] = {out[d * 2 + 1][half * 2] * factor, out[d * 2 + 1][half * 2 + 1] * factor};
        store_row_pair(line == nullptr ? nullptr : line + d * 16, first, second, true, true);
      }
    }
  }
};

#endif

// Block b makes query tile tiles - 1 - b % tiles of head b / tiles: causal blocks with the most keys begin
// first. `scale` is log2(e) / sqrt(HeadDim).
template <int HeadDim, bool Causal>
__global__ void __launch_bounds__(threads)
    attention_kernel(const Bf16* __restrict__ q, const Bf16* __restrict__ k, const Bf16* __restrict__ v,
                     Bf16* __restrict__ o, int length, int tiles, float scale) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const std::size_t head = static_cast<std::size_t>(blockIdx.x / static_cast<unsigned>(tiles)) *
                           static_cast<std::size_t>(length) * HeadDim;
  const int first_row = (tiles - 1 - static_cast<int>(blockIdx.x) % tiles) * query_rows;
  const int warp_row = first_row + static_cast<int>(threadIdx.x) / 32 * 16;
  const int end = Causal && first_row + query_rows < length ? first_row + query_rows : length;
  const int key_tiles = (end + key_rows - 1) / key_rows;
  const std::uint32_t shared = ptx::dynamic_shared();
  const auto stage = [shared](int tile) { return shared + tile % 2 * 2 * tile_bytes<HeadDim>; };
  const auto fill = [&](int tile) {
    copy_rows<HeadDim, key_rows>(stage(tile), k + head, tile * key_rows, length);
    copy_rows<HeadDim, key_rows>(stage(tile) + tile_bytes<HeadDim>, v + head, tile * key_rows, length);
    ptx::copy_async_commit();
  };

  copy_rows<HeadDim, query_rows>(stage(1), q + head, first_row, length);
  ptx::copy_async_commit();
  fill(0);
  ptx::copy_async_wait<1>();
  __syncthreads();
  Rows<HeadDim> rows;
  rows.load_queries(stage(1), warp_row - first_row);
  for (int tile = 0; tile < key_tiles; ++tile) {
    ptx::copy_async_wait<0>();
    __syncthreads();  // this tile has come for all, and all are done with what lies in the other stage
    if (tile + 1 < key_tiles) fill(tile + 1);
    const int first_key = tile * key_rows;
    if (Causal && first_key > warp_row + 15) continue;  // behind all of the warp's rows
    rows.score(stage(tile));
    if (first_key + key_rows > length || (Causal && first_key + key_rows > warp_row))
      rows.template mask<Causal>(warp_row, first_key, length);
    rows.weigh(scale);
    rows.add_values(stage(tile) + tile_bytes<HeadDim>);
  }
  rows.store(o + head, warp_row, length);
#endif
}

}  // namespace gpugauge::kernels::primitive::attention_tile
