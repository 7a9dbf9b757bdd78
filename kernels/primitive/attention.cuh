// The device code of attention.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/primitive/attention.hpp"
#include "kernels/primitive/fast_math.cuh"
#include "kernels/support/epilogue.cuh"
#include "kernels/support/ptx.cuh"

namespace gpugauge::kernels::primitive::attention_tile {

// A block computes 128 rows of one head with 4 warps of 32 rows, whose queries stay in shared memory. Tiles
// of keys and values pass through two stages; a warp's scores never leave its registers. On 9.0 reading
// fragments from shared memory bounds the kernel (by count, not measured). A warp reads one fragment per 2.7
// products for 128 columns, and per 3.2 for 64. With 16 rows it would be one per 2. Two blocks fit an SM, or
// one of 128 columns where an SM has 100 KiB (8.6, 8.9, 12.x).
constexpr int warps = 4;
constexpr int threads = warps * 32;
constexpr int warp_tiles = 2;  // tiles of 16 rows, the rows of one mma
constexpr int warp_rows = warp_tiles * 16;
constexpr int query_rows = warps * warp_rows;
constexpr int blocks_per_sm = 2;

// Keys per tile, whose scores a warp holds: as many as the registers allow.
template <int HeadDim>
constexpr int key_rows = HeadDim == 128 ? 32 : 64;
template <int HeadDim>
constexpr int chunks = HeadDim / 8;  // 16-byte chunks of a row
template <int HeadDim>
constexpr std::uint32_t row_bytes = HeadDim * 2;
template <int HeadDim>
constexpr int tile_bytes = key_rows<HeadDim>* HeadDim * 2;
template <int HeadDim>
constexpr int query_bytes = query_rows* HeadDim * 2;
template <int HeadDim>
constexpr int shared_bytes = query_bytes<HeadDim> + 4 * tile_bytes<HeadDim>;  // two stages of keys and values
static_assert(shared_bytes<128> <= 99 * 1024, "compute capability 8.6 and 8.9 have 99 KiB of shared memory");

// Byte offset of a chunk within a tile. The eight rows that ldmatrix reads fall into eight different bank
// groups: no bank conflicts.
template <int HeadDim>
__device__ __forceinline__ std::uint32_t place(int row, int chunk) {
  return static_cast<std::uint32_t>(row * chunks<HeadDim> + (chunk ^ (row % 8))) * 16;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

// Starts copying `Rows` rows from row `first` on; rows from `length` on become zeros. A thread copies the
// same chunk of every `step`-th row. The distances are immediate operands, so they need no registers.
template <int HeadDim, int Rows>
__device__ __forceinline__ void copy_rows(std::uint32_t to, const Bf16* from, int first, int length) {
  constexpr int step = threads / chunks<HeadDim>;
  static_assert(step % 8 == 0, "place() repeats every 8 rows");
  const int row = static_cast<int>(threadIdx.x) / chunks<HeadDim>;
  const int chunk = static_cast<int>(threadIdx.x) % chunks<HeadDim>;
  to += place<HeadDim>(row, chunk);
  const Bf16* const source = from + static_cast<std::size_t>(first + row) * HeadDim + chunk * 8;
  if (first + Rows <= length) {
#pragma unroll
    for (int part = 0; part < Rows / step; ++part)
      ptx::copy_async_16(to + part * step * row_bytes<HeadDim>, source + part * step * HeadDim, true);
  } else {
#pragma unroll
    for (int part = 0; part < Rows / step; ++part) {
      const bool valid = first + row + part * step < length;
      ptx::copy_async_16(to + part * step * row_bytes<HeadDim>, valid ? source + part * step * HeadDim : from,
                         valid);
    }
  }
}

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

// Block b computes query tile tiles - 1 - b % tiles of head b / tiles, so that causal blocks with the most
// keys begin first. `scale` is log2(e) / sqrt(HeadDim).
template <int HeadDim, bool Causal>
__global__ void __launch_bounds__(threads, blocks_per_sm)
    attention_kernel(const Bf16* __restrict__ q, const Bf16* __restrict__ k, const Bf16* __restrict__ v,
                     Bf16* __restrict__ o, int length, int tiles, float scale) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const std::size_t head = static_cast<std::size_t>(blockIdx.x / static_cast<unsigned>(tiles)) *
                           static_cast<std::size_t>(length) * HeadDim;
  const int first_row = (tiles - 1 - static_cast<int>(blockIdx.x) % tiles) * query_rows;
  const int own_row = static_cast<int>(threadIdx.x) / 32 * warp_rows;  // first row of this warp in the block
  const int warp_row = first_row + own_row;
  const int end = Causal && first_row + query_rows < length ? first_row + query_rows : length;
  constexpr int keys = key_rows<HeadDim>;  // of a tile
  const int key_tiles = (end + keys - 1) / keys;
  const std::uint32_t queries = ptx::dynamic_shared();
  const auto stage = [queries](int tile) {
    return queries + query_bytes<HeadDim> + tile % 2 * 2 * tile_bytes<HeadDim>;
  };
  const auto fill = [&](int tile) {
    copy_rows<HeadDim, keys>(stage(tile), k + head, tile * keys, length);
    copy_rows<HeadDim, keys>(stage(tile) + tile_bytes<HeadDim>, v + head, tile * keys, length);
    ptx::copy_async_commit();
  };

  copy_rows<HeadDim, query_rows>(queries, q + head, first_row, length);
  fill(0);
  Rows<HeadDim> rows(own_row);
  for (int tile = 0; tile < key_tiles; ++tile) {
    ptx::copy_async_wait<0>();
    __syncthreads();  // all have this tile, and none still reads the other stage
    if (tile + 1 < key_tiles) fill(tile + 1);
    const int first_key = tile * keys;
    if (Causal && first_key >= warp_row + warp_rows) continue;  // after all of the warp's rows
    rows.score(queries, stage(tile));
    const int end_key = first_key + keys;
    if (end_key > length || (Causal && end_key > warp_row))
      rows.template mask<Causal>(warp_row, first_key, length);
    rows.weigh(scale);
    rows.add_values(stage(tile) + tile_bytes<HeadDim>);
  }
  rows.store(o + head, warp_row, length);
#endif
}

}  // namespace gpugauge::kernels::primitive::attention_tile
