// The tiles of attention.cuh: their sizes, their place in shared memory, and how they get there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/support/bf16.hpp"
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

#endif

}  // namespace gpugauge::kernels::primitive::attention_tile
