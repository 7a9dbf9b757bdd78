#include "kernels/memory/gather.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::memory {
namespace {

__global__ void expected_gather_kernel(std::uint32_t sectors, std::uint64_t seed, std::uint64_t readings,
                                       std::uint64_t data_seed, std::uint32_t* total) {
  std::uint32_t sum = 0;
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < readings;
       i += stride) {
    const std::uint64_t first = gathered_sector(seed, i, sectors) * std::uint64_t{sector_floats};
    for (std::uint64_t word = 0; word < sector_floats; ++word)
      sum += bits_of(uniform(data_seed, first + word));
  }
  atomicAdd(total, sum);
}

}  // namespace

cudaError_t gather(const float* data, std::size_t sectors, std::uint64_t seed, int blocks, int rounds,
                   std::uint32_t* sums, cudaStream_t stream) {
  if (reinterpret_cast<std::uintptr_t>(data) % 32 != 0 || sectors < 1 || sectors > 0xffffffffU ||
      blocks < 1 || rounds < 1)
    return cudaErrorInvalidValue;
  gather_kernel<<<static_cast<unsigned>(blocks), gather_threads, 0, stream>>>(
      reinterpret_cast<const uint4*>(data), static_cast<std::uint32_t>(sectors), seed, rounds, sums);
  return cudaGetLastError();
}

cudaError_t expected_gather(std::size_t sectors, std::uint64_t seed, std::uint64_t readings,
                            std::uint64_t data_seed, std::uint32_t* sum, cudaStream_t stream) {
  if (sectors < 1 || sectors > 0xffffffffU) return cudaErrorInvalidValue;
  if (const cudaError_t status = cudaMemsetAsync(sum, 0, sizeof *sum, stream); status != cudaSuccess)
    return status;
  expected_gather_kernel<<<current_sm_count() * 8, 256, 0, stream>>>(static_cast<std::uint32_t>(sectors),
                                                                     seed, readings, data_seed, sum);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::memory
