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

/// In: Bf16 or Fp16; Out: the same or float. Operands of the next step of 16 along k are loaded from shared
/// memory while the current ones are multiplied, across stages too.
template <typename In, typename Out>
__global__ void __launch_bounds__(threads, 1)
    mma_sync_kernel(const In* __restrict__ a, const In* __restrict__ b, Out* __restrict__ c, int m, int n,
                    int k, TileOrder order) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const std::uint32_t ring = ptx::dynamic_shared();
  const Tile tile = order.tile(static_cast<int>(blockIdx.x));
  Copier<In> copier(a, b, m, n, k, tile);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / warps_n * warp_m;
  const int warp_column = warp % warps_n * warp_n;
  const int steps = (k + tile_k - 1) / tile_k;
  constexpr int inner_steps = tile_k / 16;
  static_assert(inner_steps % 2 == 0, "a stage begins with the first of the two sets of fragments");

  // Every step closes a group, filled or not, so that the count of pending groups stays constant to the end.
#pragma unroll
  for (int step = 0; step < stages - 1; ++step) {
    if (step < steps) copier.fill(ring + step * stage_bytes);
    ptx::copy_async_commit();
  }
  const auto behind = [&](std::uint32_t stage) {
    return stage + stage_bytes == ring + shared_bytes ? ring : stage + stage_bytes;
  };
  std::uint32_t stage = ring;
  std::uint32_t next_fill = ring + (stages - 1) * stage_bytes;
  ptx::copy_async_wait<stages - 2>();
  __syncthreads();
  Fragments fragments[2];
  fragments[0].load(stage, warp_row, warp_column, 0);

  float sums[warp_m / 16][warp_n / 8][4] = {};
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int inner = 0; inner < inner_steps; ++inner) {
      Fragments& next = fragments[(inner + 1) % 2];
      if (inner + 1 < inner_steps) {
        next.load(stage, warp_row, warp_column, inner + 1);
      } else {
        // The next stage has arrived for all threads, and all have read this one. After the last step a stage
        // is loaded that is never multiplied.
        ptx::copy_async_wait<stages - 2>();
        __syncthreads();
        stage = behind(stage);
        next.load(stage, warp_row, warp_column, 0);
      }
      if (inner == 0) {  // refill the stage of the previous step
        if (step + stages - 1 < steps) copier.fill(next_fill);
        ptx::copy_async_commit();
        next_fill = behind(next_fill);
      }
      const Fragments& now = fragments[inner % 2];
#pragma unroll
      for (int i = 0; i < warp_m / 16; ++i)
#pragma unroll
        for (int turn = 0; turn < warp_n / 8; ++turn) {
          // Alternates direction, so that consecutive instructions share an operand.
          const int j = i % 2 == 0 ? turn : warp_n / 8 - 1 - turn;
          multiply(In{}, sums[i][j], now.a[i], now.b[j / 2][j % 2 * 2], now.b[j / 2][j % 2 * 2 + 1]);
        }
    }
  }
  store_tile(c, sums, tile.row * tile_m + warp_row, tile.column * tile_n + warp_column, m, n);
#endif
}

}  // namespace gpugauge::kernels::gemm::mma
