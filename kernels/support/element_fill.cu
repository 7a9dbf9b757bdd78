#include "kernels/support/element_fill.hpp"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels {
namespace {

constexpr int threads = 256;

__global__ void fill_kernel(void* data, Element type, std::size_t count, std::uint64_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    store_uniform(data, type, static_cast<std::int64_t>(i), seed);
}

}  // namespace

cudaError_t fill_elements(void* data, Element type, std::size_t count, std::uint64_t seed,
                          cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  fill_kernel<<<current_sm_count() * 8, threads, 0, stream>>>(data, type, count, seed);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels
