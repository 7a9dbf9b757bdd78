// The tiles of mma_sync.cuh: their sizes, and how they get into shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/tiling.hpp"
#include "kernels/support/ptx.cuh"

namespace gpugauge::kernels::gemm::mma {

// A block computes a 256x128 tile with 8 warps of 64x64. Tiles of A (256x32) and B (32x128) pass through a
// ring of shared-memory stages that cp.async fills `stages - 1` steps ahead.
constexpr int tile_m = 256;
constexpr int tile_n = 128;
constexpr int tile_k = 32;
constexpr int stages = 4;
constexpr int threads = 256;
constexpr int warp_m = 64;
constexpr int warp_n = 64;
constexpr int warps_n = tile_n / warp_n;
constexpr int chunk = 8;  // 16-bit elements per 16 bytes
constexpr int a_row = tile_k / chunk;
constexpr int b_row = tile_n / chunk;
constexpr int a_chunks = tile_m * a_row;
constexpr int b_chunks = tile_k * b_row;
constexpr int a_parts = a_chunks / threads;  // chunks per thread and step
constexpr int b_parts = b_chunks / threads;
constexpr int a_part_rows = threads / a_row;  // rows between them
constexpr int b_part_rows = threads / b_row;
constexpr int stage_bytes = (a_chunks + b_chunks) * 16;
constexpr int shared_bytes = stages * stage_bytes;
static_assert(a_row == 4 && b_row == 16, "the swizzles are made for rows of 4 and of 16 chunks");
static_assert(tile_m / warp_m * warps_n * 32 == threads, "the warps' tiles make up the block's");
static_assert(a_chunks % threads == 0 && b_chunks % threads == 0,
              "every thread copies as many chunks as the next");
static_assert(a_part_rows % 8 == 0 && b_part_rows % 8 == 0, "the swizzles repeat after 8 rows");
static_assert(shared_bytes <= 99 * 1024,
              "compute capability 8.6 and 8.9 have 99 KiB of shared memory a block");

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

// One thread's share of filling a stage: the same chunks in every step, in one column of A's tile and one of
// B's.
template <typename In>
class Copier {
 public:
  __device__ __forceinline__ Copier(const In* a, const In* b, int m, int n, int k, Tile tile)
      : any_a_(a),
        any_b_(b),
        a_part_(static_cast<std::size_t>(a_part_rows) * k),
        b_part_(static_cast<std::size_t>(b_part_rows) * n),
        b_step_(static_cast<std::size_t>(tile_k) * n) {
    const int thread = static_cast<int>(threadIdx.x);
    const int row = tile.row * tile_m + thread / a_row;
    a_ = a + static_cast<std::size_t>(row) * k + thread % a_row * chunk;
    rows_left_ = m - row;
    a_k_left_ = k - thread % a_row * chunk;
    a_to_ = static_cast<std::uint32_t>(swizzle_4(thread / a_row, thread % a_row) * 16);
    const int column = tile.column * tile_n + thread % b_row * chunk;
    b_ = b + static_cast<std::size_t>(thread / b_row) * n + column;
    b_k_left_ = column < n ? k - thread / b_row : 0;
    b_to_ = static_cast<std::uint32_t>((a_chunks + swizzle_16(thread / b_row, thread % b_row)) * 16);
  }

  // Starts copying the next step's share into `stage`, and advances to the step after it.
  __device__ __forceinline__ void fill(std::uint32_t stage) {
#pragma unroll
    for (int part = 0; part < a_parts; ++part) {
      const bool valid = a_k_left_ > 0 && part * a_part_rows < rows_left_;
      ptx::copy_async_16(stage + a_to_ + part * (a_part_rows * a_row * 16),
                         valid ? a_ + part * a_part_ : any_a_, valid);
    }
#pragma unroll
    for (int part = 0; part < b_parts; ++part) {
      const bool valid = part * b_part_rows < b_k_left_;
      ptx::copy_async_16(stage + b_to_ + part * (b_part_rows * b_row * 16),
                         valid ? b_ + part * b_part_ : any_b_, valid);
    }
    a_ += tile_k;
    b_ += b_step_;
    a_k_left_ -= tile_k;
    b_k_left_ -= tile_k;
  }

 private:
  const In* any_a_;  // a legal address for copies that read nothing
  const In* any_b_;
  std::size_t a_part_, b_part_, b_step_;  // elements between parts, and for B between steps
  const In* a_;
  const In* b_;
  int rows_left_, a_k_left_, b_k_left_;
  std::uint32_t a_to_, b_to_;  // offset of the first part in a stage
};

#endif

}  // namespace gpugauge::kernels::gemm::mma
