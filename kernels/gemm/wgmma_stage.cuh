// Shared by all wgmma products: filling a stage of shared memory by TMA, multiplying it, and storing sums
// from registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/layout.hpp"
#include "kernels/gemm/tma.cuh"
#include "kernels/gemm/wgmma.cuh"
#include "kernels/support/barrier.cuh"
#include "kernels/support/bulk.cuh"
#include "kernels/support/epilogue.cuh"

namespace gpugauge::kernels::gemm {

/// wgmma exists only on 9.0, in code built for sm_90a. Elsewhere the kernels only trap. Wrappers refuse all
/// GPUs but 9.0, so only a 9.0 GPU under a build without sm_90a can reach the trap.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define GPUGAUGE_HAS_WGMMA 1
#else
#define GPUGAUGE_HAS_WGMMA 0
#endif

/// One stage: tile_m x tile_k of A in one box, and tile_n / 64 boxes of B, each for 64 columns of C. A row of
/// a box is 128 bytes: along k in A and in a transposed B, along n in a B that is not transposed.
template <typename In, int TileM, int TileN>
struct Stage {
  static constexpr int tile_k = row_bytes / static_cast<int>(sizeof(In));  // 64 of bf16, 128 of fp8
  static constexpr int steps = 4;                                          // of 32 bytes along k
  static constexpr int a_bytes = TileM * row_bytes;
  static constexpr int b_box_bytes = 64 * row_bytes;
  static constexpr int b_boxes = TileN / 64;
  static constexpr int bytes = a_bytes + b_boxes * b_box_bytes;
  static_assert(TileM % 64 == 0 && TileN % 64 == 0, "wgmma has 64 rows, B's boxes 64 columns");
  static_assert(sizeof(In) == 1 || tile_k == 64, "a box of a B that is not transposed holds 64 k");
  static_assert(a_bytes % 1024 == 0 && bytes % 1024 == 0, "the swizzle begins at multiples of 1024");

  /// Starts reading the tile of A.
  static __device__ __forceinline__ void load_a(std::uint32_t stage, const sm90::TensorMap& map, int row,
                                                int k, std::uint32_t barrier) {
    sm90::load_box(stage, map, k, row, barrier);
  }
  /// Starts reading box `box` of B, into all blocks of the cluster when `Blocks` is above 1.
  template <int Blocks>
  static __device__ __forceinline__ void load_b(std::uint32_t stage, const sm90::TensorMap& map, int box,
                                                int column, int k, std::uint32_t barrier) {
    const std::uint32_t to = stage + a_bytes + static_cast<std::uint32_t>(box) * b_box_bytes;
    const int n = column + box * 64;
    const int x = b_is_transposed<In> ? k : n;
    const int y = b_is_transposed<In> ? n : k;
    if constexpr (Blocks == 1)
      sm90::load_box(to, map, x, y, barrier);
    else
      sm90::load_box_multicast(to, map, x, y, barrier, static_cast<std::uint16_t>((1 << Blocks) - 1));
  }

  /// Starts adding to `sums` the product of all of B and 64 rows of A from row `row` on.
  static __device__ __forceinline__ void multiply(float (&sums)[TileN / 2], std::uint32_t stage, int row,
                                                  int step, bool add) {
    const std::uint64_t a =
        descriptor(stage + static_cast<std::uint32_t>(row * row_bytes), 0, swizzle_rows * row_bytes);
    const std::uint64_t b = descriptor(stage + a_bytes, b_box_bytes, swizzle_rows * row_bytes);
    const auto a_on = static_cast<std::uint32_t>(step * 32);
    // Along k, B advances within its 128-byte rows if they run along k, otherwise by 16 rows.
    const auto b_on = static_cast<std::uint32_t>(b_is_transposed<In> ? step * 32 : step * 16 * row_bytes);
    sm90::Wgmma<In, TileN>::run(sums, advanced(a, a_on), advanced(b, b_on), add);
  }
};

/// Stores a warpgroup's 64 x N sums as bf16 to C (m x n, row-major) from (row, column) on, except those
/// outside C. Called by all 128 threads; n is a multiple of 8.
template <int Count>
__device__ __forceinline__ void store_sums(Bf16* c, const float (&sums)[Count], int row, int column, int m,
                                           int n) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int to_row = row + accumulator_row(thread, half * 2);
#pragma unroll
    for (int block = 0; block < Count / 4; block += 2) {
      const int to_column = column + block * 8;
      const float first[2] = {sums[block * 4 + half * 2], sums[block * 4 + half * 2 + 1]};
      const float second[2] = {sums[block * 4 + half * 2 + 4], sums[block * 4 + half * 2 + 5]};
      Bf16* const to = to_row < m ? c + static_cast<std::size_t>(to_row) * n + to_column : nullptr;
      store_row_pair(to, first, second, to_column < n, to_column + 8 < n);
    }
  }
}

/// Packs a thread's sums into pairs of bf16.
template <int Count>
__device__ __forceinline__ void pack(std::uint32_t (&pairs)[Count / 2], const float (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count / 2; ++i) pairs[i] = ptx::pack_bf16(sums[i * 2], sums[i * 2 + 1]);
}

/// Writes columns `Part` * 64 to `Part` * 64 + 63 of a warpgroup's packed sums into a box of 64 rows in
/// shared memory, with the 128-byte swizzle. Called by all 128 threads.
template <int Part, int Count>
__device__ __forceinline__ void write_box(std::uint32_t box, const std::uint32_t (&pairs)[Count]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) % 128 / 32;
  const int row = warp * 16 + lane % 16;  // matrices 0 and 2 hold the upper eight rows, 1 and 3 the lower
#pragma unroll
  for (int pair = 0; pair < 4; ++pair) {
    const std::uint32_t* const of = &pairs[Part * 16 + pair * 4];
    const std::uint32_t four[4] = {of[0], of[1], of[2], of[3]};
    sm90::store_matrices(box + swizzle_128(row, (pair * 2 + lane / 16) * chunk_bytes), four);
  }
}

}  // namespace gpugauge::kernels::gemm
