#include "kernels/primitive/histogram.cuh"
#include "kernels/support/grid.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::primitive {
namespace {

__global__ void expected_histogram_kernel(std::size_t count, std::uint64_t seed, std::uint32_t* bins) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    atomicAdd(bins + bin_of(uniform(seed, i)), 1U);
}

cudaError_t clear(std::uint32_t* bins, cudaStream_t stream) {
  return cudaMemsetAsync(bins, 0, histogram_bins * sizeof *bins, stream);
}

}  // namespace

cudaError_t histogram(const float* data, std::size_t count, std::uint32_t* bins, cudaStream_t stream) {
  if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0 || count > 0xffffffffU) return cudaErrorInvalidValue;
  if (const cudaError_t status = clear(bins, stream); status != cudaSuccess) return status;
  histogram_kernel<<<current_sm_count() * histogram_blocks_per_sm, histogram_threads, 0, stream>>>(
      data, count, bins);
  return cudaGetLastError();
}

cudaError_t expected_histogram(std::size_t count, std::uint64_t seed, std::uint32_t* bins,
                               cudaStream_t stream) {
  if (const cudaError_t status = clear(bins, stream); status != cudaSuccess) return status;
  expected_histogram_kernel<<<current_sm_count() * 8, 256, 0, stream>>>(count, seed, bins);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::primitive
