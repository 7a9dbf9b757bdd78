// What a warp of attention.cuh holds in registers: scores, weights, sums and results of its rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/primitive/attention_tile.cuh"
#include "kernels/primitive/fast_math.cuh"
#include "kernels/support/epilogue.cuh"

namespace gpugauge::kernels::primitive::attention_tile {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

// One lane's part of its warp's rows, in the layout of mma's accumulators: rows g and g + 8 (g = lane / 4) of
// each tile of 16 rows.
template <int HeadDim>
struct Rows {
  // This lane's address within a tile for the first chunks that ldmatrix reads. XOR with 32 i gives the
  // address for chunk 2 i. This follows from place(), where tiles begin at multiples of a row.
  std::uint32_t query_place;
  std::uint32_t key_place;
  std::uint32_t value_place;
  float scores[warp_tiles][key_rows<HeadDim> / 8][4];
  float out[warp_tiles][HeadDim / 8][4] = {};
  float largest[warp_tiles][2];
  float sum[warp_tiles][2] = {};  // this lane's share

  // `row`: the warp's first row among the block's queries.
  __device__ __forceinline__ explicit Rows(int row) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    query_place = place<HeadDim>(row + lane % 16, lane / 16);
    key_place = place<HeadDim>(lane / 16 * 8 + lane % 8, lane / 8 % 2);
    value_place = place<HeadDim>(lane / 8 % 2 * 8 + lane % 8, lane / 16);
#pragma unroll
    for (int t = 0; t < warp_tiles; ++t) largest[t][0] = largest[t][1] = -INFINITY;
  }

  __device__ __forceinline__ void score(std::uint32_t queries, std::uint32_t keys) {
    queries += query_place;
    keys += key_place;
#pragma unroll
    for (int t = 0; t < warp_tiles; ++t)
#pragma unroll
      for (int j = 0; j < key_rows<HeadDim> / 8; ++j)
#pragma unroll
        for (int c = 0; c < 4; ++c) scores[t][j][c] = 0;
#pragma unroll
    for (int i = 0; i < HeadDim / 16; ++i) {
      std::uint32_t a[warp_tiles][4];
#pragma unroll
      for (int t = 0; t < warp_tiles; ++t)
        ptx::load_matrices(a[t], (queries ^ i * 32) + t * 16 * row_bytes<HeadDim>);
#pragma unroll
      for (int j = 0; j < key_rows<HeadDim> / 16; ++j) {
        std::uint32_t b[4];
        ptx::load_matrices(b, (keys ^ i * 32) + j * 16 * row_bytes<HeadDim>);
#pragma unroll
        for (int t = 0; t < warp_tiles; ++t) {
          ptx::mma_bf16_16x8x16(scores[t][j * 2], a[t], b[0], b[1]);
          ptx::mma_bf16_16x8x16(scores[t][j * 2 + 1], a[t], b[2], b[3]);
        }
      }
    }
  }

  // Masks key columns from `end` on, and with `Causal` those after the row.
  template <bool Causal>
  __device__ __forceinline__ void mask(int first_row, int first_key, int end) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int t = 0; t < warp_tiles; ++t)
#pragma unroll
      for (int j = 0; j < key_rows<HeadDim> / 8; ++j)
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          const int key = first_key + j * 8 + lane % 4 * 2 + c % 2;
          const int row = first_row + t * 16 + lane / 4 + c / 2 * 8;
          if (key >= end || (Causal && key > row)) scores[t][j][c] = -INFINITY;
        }
  }

  // Turns scores into weights 2^(scale (score - largest)), and rescales earlier sums to the new largest. The
  // first tile has a key for every row, so that `largest` is finite from then on.
  __device__ __forceinline__ void weigh(float scale) {
    float shrink[warp_tiles][2];
    bool grown = false;
#pragma unroll
    for (int t = 0; t < warp_tiles; ++t)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float most = largest[t][half];
#pragma unroll
        for (int j = 0; j < key_rows<HeadDim> / 8; ++j)
          most = fmaxf(most, fmaxf(scores[t][j][half * 2], scores[t][j][half * 2 + 1]));
        most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, 1));
        most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, 2));
        shrink[t][half] = exp2_approx((largest[t][half] - most) * scale);
        grown = grown || most > largest[t][half];
        largest[t][half] = most;
      }
    // After the first tiles a new largest score is rare, and the rescaling is most of the work.
    if (__any_sync(0xffffffffU, grown)) bring_to_largest(shrink);
#pragma unroll
    for (int t = 0; t < warp_tiles; ++t)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float offset = largest[t][half] * scale;
#pragma unroll
        for (int j = 0; j < key_rows<HeadDim> / 8; ++j)
#pragma unroll
          for (int c = half * 2; c < half * 2 + 2; ++c) {
            scores[t][j][c] = exp2_approx(fmaf(scores[t][j][c], scale, -offset));
            sum[t][half] += scores[t][j][c];
          }
      }
  }

  __device__ __forceinline__ void bring_to_largest(const float (&shrink)[warp_tiles][2]) {
#pragma unroll
    for (int t = 0; t < warp_tiles; ++t)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        sum[t][half] *= shrink[t][half];
#pragma unroll
        for (int d = 0; d < HeadDim / 8; ++d) {
          out[t][d][half * 2] *= shrink[t][half];
          out[t][d][half * 2 + 1] *= shrink[t][half];
        }
      }
  }

  // An accumulator has the layout of an operand once neighbouring columns are packed.
  __device__ __forceinline__ void add_values(std::uint32_t values) {
    values += value_place;
#pragma unroll
    for (int j = 0; j < key_rows<HeadDim> / 16; ++j) {
      std::uint32_t weights[warp_tiles][4];
#pragma unroll
      for (int t = 0; t < warp_tiles; ++t)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          weights[t][i] =
              ptx::pack_bf16(scores[t][j * 2 + i / 2][i % 2 * 2], scores[t][j * 2 + i / 2][i % 2 * 2 + 1]);
#pragma unroll
      for (int d = 0; d < HeadDim / 16; ++d) {
        std::uint32_t b[4];
        ptx::load_matrices_transposed(b, (values ^ d * 32) + j * 16 * row_bytes<HeadDim>);
#pragma unroll
        for (int t = 0; t < warp_tiles; ++t) {
          ptx::mma_bf16_16x8x16(out[t][d * 2], weights[t], b[0], b[1]);
          ptx::mma_bf16_16x8x16(out[t][d * 2 + 1], weights[t], b[2], b[3]);
        }
      }
    }
  }

  // `first_row`: the warp's first row of the head whose output begins at `to`.
  __device__ __forceinline__ void store(Bf16* to, int first_row, int length) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int t = 0; t < warp_tiles; ++t)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float all = sum[t][half];
        all += __shfl_xor_sync(0xffffffffU, all, 1);
        all += __shfl_xor_sync(0xffffffffU, all, 2);
        const float factor = 1 / all;
        const int row = first_row + t * 16 + lane / 4 + half * 8;
        Bf16* const line = row < length ? to + static_cast<std::size_t>(row) * HeadDim : nullptr;
#pragma unroll
        for (int d = 0; d < HeadDim / 16; ++d) {
          const auto& left = out[t][d * 2];
          const auto& right = out[t][d * 2 + 1];
          const float first[2] = {left[half * 2] * factor, left[half * 2 + 1] * factor};
          const float second[2] = {right[half * 2] * factor, right[half * 2 + 1] * factor};
          store_row_pair(line == nullptr ? nullptr : line + d * 16, first, second, true, true);
        }
      }
  }
};

#endif

}  // namespace gpugauge::kernels::primitive::attention_tile
