#include "kernels/primitive/transpose.cuh"
#include "kernels/support/grid.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::primitive {
namespace {

__global__ void transpose_mismatch_kernel(const float* to, std::size_t rows, std::size_t columns,
                                          std::uint64_t seed, unsigned long long* mismatches) {
  unsigned long long wrong = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * columns;
       i += stride)
    if (bits_of(to[i]) != bits_of(uniform(seed, i % rows * columns + i / rows))) ++wrong;
  if (wrong != 0) atomicAdd(mismatches, wrong);
}

}  // namespace

cudaError_t transpose(const float* from, float* to, int rows, int columns, cudaStream_t stream) {
  const auto misaligned = [](const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0;
  };
  if (misaligned(from) || misaligned(to) || rows < 1 || columns < 1) return cudaErrorInvalidValue;
  const auto tiles = [](int size) { return (size - 1) / transpose_tile + 1; };
  const std::int64_t blocks = static_cast<std::int64_t>(tiles(rows)) * tiles(columns);
  if (blocks > 0x7fffffff) return cudaErrorInvalidValue;
  const auto grid = static_cast<unsigned>(blocks);
  if (rows % 4 == 0 && columns % 4 == 0)
    transpose_kernel<4><<<grid, transpose_threads, 0, stream>>>(from, to, rows, columns, tiles(rows));
  else
    transpose_kernel<1><<<grid, transpose_threads, 0, stream>>>(from, to, rows, columns, tiles(rows));
  return cudaGetLastError();
}

cudaError_t count_transpose_mismatches(const float* to, int rows, int columns, std::uint64_t seed,
                                       unsigned long long* mismatches, cudaStream_t stream) {
  if (const cudaError_t status = cudaMemsetAsync(mismatches, 0, sizeof *mismatches, stream);
      status != cudaSuccess)
    return status;
  transpose_mismatch_kernel<<<current_sm_count() * 8, 256, 0, stream>>>(
      to, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), seed, mismatches);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::primitive
