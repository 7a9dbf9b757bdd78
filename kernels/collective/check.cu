#include "kernels/collective/check.hpp"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::collective {
namespace {

constexpr int threads = 256;

__device__ std::size_t first_index() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::size_t stride() {
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

__global__ void fill_kernel(float* data, std::size_t count, std::uint64_t seed, int rank) {
  for (std::size_t i = first_index(); i < count; i += stride()) data[i] = predictable(seed, rank, i);
}

__global__ void mismatch_kernel(const float* data, std::size_t count, std::uint64_t seed, Expected expected,
                                unsigned long long* mismatches) {
  unsigned long long wrong = 0;
  for (std::size_t i = first_index(); i < count; i += stride())
    if (bits_of(data[i]) != bits_of(expected.at(seed, i))) ++wrong;
  for (int offset = 16; offset > 0; offset /= 2) wrong += __shfl_down_sync(0xffffffffU, wrong, offset);
  if (threadIdx.x % 32 == 0 && wrong != 0) atomicAdd(mismatches, wrong);
}

}  // namespace

cudaError_t fill(float* data, std::size_t count, std::uint64_t seed, int rank, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  fill_kernel<<<current_sm_count() * 8, threads, 0, stream>>>(data, count, seed, rank);
  return cudaGetLastError();
}

cudaError_t count_mismatches(const float* data, std::size_t count, std::uint64_t seed,
                             const Expected& expected, unsigned long long* mismatches, cudaStream_t stream) {
  if (const cudaError_t status = cudaMemsetAsync(mismatches, 0, sizeof *mismatches, stream);
      status != cudaSuccess)
    return status;
  if (count == 0) return cudaSuccess;
  mismatch_kernel<<<current_sm_count() * 8, threads, 0, stream>>>(data, count, seed, expected, mismatches);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::collective
