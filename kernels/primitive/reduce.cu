#include <cstdint>

#include "kernels/primitive/reduce.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::primitive {
namespace {

constexpr int reference_threads = 512;

// Threads add their parts in fp64. The order of the atomic additions changes nothing at fp32 precision.
__global__ void __launch_bounds__(reference_threads)
    reduce_reference_kernel(const float* data, std::size_t count, double* sum, double* magnitude) {
  double total = 0;
  double absolute = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * reference_threads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * reference_threads + threadIdx.x; i < count;
       i += stride) {
    total += static_cast<double>(data[i]);
    absolute += fabs(static_cast<double>(data[i]));
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    total += __shfl_xor_sync(0xffffffffU, total, mask);
    absolute += __shfl_xor_sync(0xffffffffU, absolute, mask);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(sum, total);
    atomicAdd(magnitude, absolute);
  }
}

}  // namespace

cudaError_t reduce(const float* data, std::size_t count, float* partials, unsigned* finished, float* sum,
                   cudaStream_t stream) {
  if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0) return cudaErrorInvalidValue;
  reduce_kernel<<<static_cast<unsigned>(reduce_partials(current_sm_count())), reduce_threads, 0, stream>>>(
      data, count, partials, finished, sum);
  return cudaGetLastError();
}

cudaError_t reduce_reference(const float* data, std::size_t count, double* sum, double* magnitude,
                             cudaStream_t stream) {
  if (const cudaError_t status = cudaMemsetAsync(sum, 0, sizeof *sum, stream); status != cudaSuccess)
    return status;
  if (const cudaError_t status = cudaMemsetAsync(magnitude, 0, sizeof *magnitude, stream);
      status != cudaSuccess)
    return status;
  reduce_reference_kernel<<<current_sm_count() * 4, reference_threads, 0, stream>>>(data, count, sum,
                                                                                    magnitude);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::primitive
