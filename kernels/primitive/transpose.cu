#include "kernels/primitive/transpose.cuh"
#include "kernels/support/comparison_launch.cuh"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::primitive {
namespace {

struct Transposed {
  const float* to;
  std::size_t rows;
  std::size_t columns;
  std::uint64_t seed;
  __device__ bool operator()(std::size_t i) const {
    return bits_of(to[i]) == bits_of(uniform(seed, i % rows * columns + i / rows));
  }
};

}  // namespace

cudaError_t transpose(const float* from, float* to, int rows, int columns, cudaStream_t stream) {
  const auto misaligned = [](const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0;
  };
  if (misaligned(from) || misaligned(to) || rows < 1 || columns < 1) return cudaErrorInvalidValue;
  const int row_tiles = (rows - 1) / transpose_tile_rows + 1;
  const std::int64_t blocks = std::int64_t{row_tiles} * ((columns - 1) / transpose_tile_columns + 1);
  if (blocks > 0x7fffffff) return cudaErrorInvalidValue;
  const auto grid = static_cast<unsigned>(blocks);
  if (rows % 4 == 0 && columns % 4 == 0)
    transpose_kernel<4><<<grid, transpose_threads, 0, stream>>>(from, to, rows, columns, row_tiles);
  else
    transpose_kernel<1><<<grid, transpose_threads, 0, stream>>>(from, to, rows, columns, row_tiles);
  return cudaGetLastError();
}

cudaError_t count_transpose_mismatches(const float* to, int rows, int columns, std::uint64_t seed,
                                       Comparison* found, cudaStream_t stream) {
  const Transposed right{to, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), seed};
  return compare_exactly(right.rows * right.columns, right, found, stream);
}

}  // namespace gpugauge::kernels::primitive
