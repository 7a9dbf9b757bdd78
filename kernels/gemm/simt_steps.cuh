// The tiles of simt_fp32.cuh, and how a thread reads its part of them from global memory: any shape, or whole steps
// without bounds checks.
#pragma once

#include <cstddef>

#include "kernels/gemm/tiling.hpp"

namespace gpugauge::kernels::gemm::simt {

// A block computes a 128x128 tile with 8 warps of 32x64. A thread computes 8x8 elements: rows lane_row*4 +
// {0..3} and the same 16 further down, columns lane_column*4 + {0..3} and the same 32 further right. So the
// fragments of a step are 16-byte loads in which eight lanes share one address (A) or cover 128 consecutive
// bytes (B): no bank conflicts.
constexpr int tile_m = 128;
constexpr int tile_n = 128;
constexpr int tile_k = 16;
constexpr int threads = 256;
constexpr int pitch_a =
    tile_m + 4;  // A is transposed; 4 floats of padding avoid bank conflicts in its stores
constexpr int pitch_b = tile_n;
static_assert(pitch_a % 4 == 0, "16-byte loads of A need rows that begin at multiples of 16 bytes");
static_assert(tile_m * tile_k == threads * 8 && tile_n * tile_k == threads * 8,
              "a thread loads 8 elements of each");

// What a thread copies from global to shared memory at a time: two groups of four elements of one input.
struct Load {
  float4 part[2];
};

/// Loads four elements from a 16-byte aligned address.
__device__ __forceinline__ float4 four(const float* from) {
  return *reinterpret_cast<const float4*>(from);
}

/// Loads four elements from global memory that the kernel does not write.
__device__ __forceinline__ float4 read_only_four(const float* from) {
  return __ldg(reinterpret_cast<const float4*>(from));
}

template <bool Wide>
__device__ __forceinline__ float4 load_row(const float* __restrict__ matrix, int row, int column, int rows,
                                           int columns) {
  float4 value = make_float4(0, 0, 0, 0);
  if (row >= rows) return value;
  const float* const from = matrix + static_cast<std::size_t>(row) * columns + column;
  if (Wide) {
    if (column < columns) value = four(from);
  } else {
    if (column < columns) value.x = from[0];
    if (column + 1 < columns) value.y = from[1];
    if (column + 2 < columns) value.z = from[2];
    if (column + 3 < columns) value.w = from[3];
  }
  return value;
}

// The tiles of both inputs, in order along k. A thread copies these elements. A: row thread / 2 of the tile,
// columns thread % 2 * 4 + {0..3} and the same 8 further right. B: row thread / 32 and the same 8 further
// down, columns thread % 32 * 4 + {0..3}.

/// For any shape: elements outside are 0. Wide: 16-byte loads, which need rows of multiples of 16 bytes.
template <bool Wide>
class AnySteps {
 public:
  static constexpr bool wide = Wide;
  static constexpr int blocks_per_sm = 1;  // its bounds checks need more than 128 registers

  __device__ AnySteps(const float* __restrict__ a, const float* __restrict__ b, int m, int n, int k,
                      Tile tile)
      : a_(a), b_(b), m_(m), n_(n), k_(k), tile_(tile) {}

  __device__ __forceinline__ void read_a(Load& load, int k0) const {
#pragma unroll
    for (int part = 0; part < 2; ++part)
      load.part[part] = load_row<Wide>(a_, tile_.row * tile_m + static_cast<int>(threadIdx.x) / 2,
                                       k0 + part * 8 + static_cast<int>(threadIdx.x) % 2 * 4, m_, k_);
  }

  __device__ __forceinline__ void read_b(Load& load, int k0) const {
#pragma unroll
    for (int part = 0; part < 2; ++part)
      load.part[part] =
          load_row<Wide>(b_, k0 + part * 8 + static_cast<int>(threadIdx.x) / 32,
                         tile_.column * tile_n + static_cast<int>(threadIdx.x) % 32 * 4, k_, n_);
  }

 private:
  const float* const __restrict__ a_;
  const float* const __restrict__ b_;
  const int m_, n_, k_;
  const Tile tile_;
};

/// For k a multiple of tile_k and n a multiple of 4, all 16-byte aligned. The loop has no bounds checks and
/// no address computation, because every other instruction costs as much as a product. Outside the matrix it
/// reads the last row of A or column of B again; these results are not stored.
class WholeSteps {
 public:
  static constexpr bool wide = true;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  static constexpr int blocks_per_sm = 1;  // the compiler needs more than 128 registers for 7.5
#else
  static constexpr int blocks_per_sm = 2;
#endif

  __device__ WholeSteps(const float* __restrict__ a, const float* __restrict__ b, int m, int n, int k,
                        Tile tile)
      : n_(n) {
    const int thread = threadIdx.x;
    const int row = tile.row * tile_m + thread / 2;
    const int column = tile.column * tile_n + thread % 32 * 4;
    a_ = a + static_cast<std::size_t>(row < m ? row : m - 1) * k + thread % 2 * 4;
    b_ = b + static_cast<std::size_t>(thread / 32) * n + (column < n ? column : n - 4);
  }

  __device__ __forceinline__ void read_a(Load& load, int k0) const {
    const float* const from = a_ + k0;
    load.part[0] = read_only_four(from);
    load.part[1] = read_only_four(from + 8);
  }

  __device__ __forceinline__ void read_b(Load& load, int k0) const {
    const float* const from = b_ + static_cast<std::ptrdiff_t>(n_) * k0;
    load.part[0] = read_only_four(from);
    load.part[1] = read_only_four(from + static_cast<std::ptrdiff_t>(n_) * 8);
  }

 private:
  const float* a_;
  const float* b_;
  const int n_;
};

}  // namespace gpugauge::kernels::gemm::simt
