#include "kernels/support/fill.hpp"
#include "kernels/support/grid.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels {
namespace {

constexpr int threads = 256;

__device__ float uniform_as(std::uint64_t seed, std::size_t index, float) {
  return uniform(seed, index);
}
__device__ Bf16 uniform_as(std::uint64_t seed, std::size_t index, Bf16) {
  return uniform_bf16(seed, index);
}
__device__ Fp16 uniform_as(std::uint64_t seed, std::size_t index, Fp16) {
  return to_fp16(uniform(seed, index));
}
__device__ E4m3 uniform_as(std::uint64_t seed, std::size_t index, E4m3) {
  return to_e4m3(uniform(seed, index));
}

template <typename T>
__global__ void fill_kernel(T* data, std::size_t count, std::uint64_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    data[i] = uniform_as(seed, i, T{});
}

template <typename T>
cudaError_t launch_fill(T* data, std::size_t count, std::uint64_t seed, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  fill_kernel<<<current_sm_count() * 8, threads, 0, stream>>>(data, count, seed);
  return cudaGetLastError();
}

__global__ void checksum_kernel(const std::uint32_t* words, std::size_t count, int tail_bytes,
                                const unsigned char* tail_data, unsigned long long* sum) {
  unsigned long long local = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::size_t i = first; i < count; i += stride) local += checksum_term(i, words[i]);
  if (first == 0 && tail_bytes > 0) {
    std::uint32_t tail = 0;
    for (int byte = 0; byte < tail_bytes; ++byte)
      tail |= static_cast<std::uint32_t>(tail_data[byte]) << (8 * byte);
    local += checksum_term(count, tail);
  }
  for (int offset = 16; offset > 0; offset /= 2) local += __shfl_down_sync(0xffffffffU, local, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, local);
}

}  // namespace

cudaError_t fill_uniform(float* data, std::size_t count, std::uint64_t seed, cudaStream_t stream) {
  return launch_fill(data, count, seed, stream);
}

cudaError_t fill_uniform(Bf16* data, std::size_t count, std::uint64_t seed, cudaStream_t stream) {
  return launch_fill(data, count, seed, stream);
}

cudaError_t fill_uniform(Fp16* data, std::size_t count, std::uint64_t seed, cudaStream_t stream) {
  return launch_fill(data, count, seed, stream);
}

cudaError_t fill_uniform(E4m3* data, std::size_t count, std::uint64_t seed, cudaStream_t stream) {
  return launch_fill(data, count, seed, stream);
}

cudaError_t poison(void* data, std::size_t bytes, cudaStream_t stream) {
  return bytes == 0 ? cudaSuccess : cudaMemsetAsync(data, 0xff, bytes, stream);
}

cudaError_t checksum(const void* data, std::size_t bytes, unsigned long long* sum, cudaStream_t stream) {
  if (const cudaError_t status = cudaMemsetAsync(sum, 0, sizeof *sum, stream); status != cudaSuccess)
    return status;
  if (bytes == 0) return cudaSuccess;
  const std::size_t words = bytes / 4;
  checksum_kernel<<<current_sm_count() * 8, threads, 0, stream>>>(
      static_cast<const std::uint32_t*>(data), words, static_cast<int>(bytes % 4),
      static_cast<const unsigned char*>(data) + words * 4, sum);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels
