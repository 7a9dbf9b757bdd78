#include "kernels/launch/trivial.hpp"

namespace gpugauge::kernels::launch {
namespace {

__global__ void empty_kernel() {}

__global__ void counting_kernel(unsigned long long* counter) {
  if (threadIdx.x == 0) atomicAdd(counter, 1ULL);
}

}  // namespace

cudaError_t launch_empty(cudaStream_t stream) {
  empty_kernel<<<1, 32, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t launch_counting(unsigned long long* counter, cudaStream_t stream) {
  counting_kernel<<<1, 32, 0, stream>>>(counter);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::launch
