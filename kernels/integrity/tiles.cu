#include "kernels/integrity/tiles.cuh"
#include "kernels/support/clock.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::integrity {
namespace {

struct ThisSm {
  __device__ std::uint32_t operator()() const { return sm_id(); }
};

__global__ void fill_by_columns_kernel(Bf16* bt, std::uint64_t k, std::uint64_t n, std::uint64_t seed) {
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < k * n;
       i += stride)
    bt[i] = uniform_bf16(seed, i % k * n + i / k);
}

}  // namespace

cudaError_t multiply_tiles(const Bf16* a, const Bf16* bt, float* c, int m, int n, int k,
                           unsigned long long* sums, std::uint32_t* sms, cudaStream_t stream) {
  if (m < tile_edge || n < tile_edge || k < 16 || m % tile_edge != 0 || n % tile_edge != 0 || k % 16 != 0)
    return cudaErrorInvalidValue;
  if ((reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(bt)) % 4 != 0)
    return cudaErrorInvalidValue;
  if (const cudaError_t status = supports(tile_kernel<ThisSm>, 80); status != cudaSuccess) return status;
  tile_kernel<<<static_cast<unsigned>((m / tile_edge) * (n / tile_edge)), tile_threads, 0, stream>>>(
      a, bt, c, n, k, sums, sms, ThisSm{});
  return cudaGetLastError();
}

cudaError_t fill_by_columns(Bf16* bt, int k, int n, std::uint64_t seed, cudaStream_t stream) {
  fill_by_columns_kernel<<<current_sm_count() * 8, 256, 0, stream>>>(bt, static_cast<std::uint64_t>(k),
                                                                     static_cast<std::uint64_t>(n), seed);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::integrity
