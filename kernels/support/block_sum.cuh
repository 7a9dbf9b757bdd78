// The sum of one number of each thread of a block, in fp64, for checks.
#pragma once

namespace gpugauge::kernels {

/// The sum of `value` over a block of `threads` threads, a power of two; the same in every thread. `shared` has
/// room for one number per thread. All threads of the block must call it; it may be called again at once.
template <int threads>
__device__ double block_sum(double value, double* shared) {
  static_assert(threads > 0 && (threads & (threads - 1)) == 0, "halves would lose threads");
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  const double sum = shared[0];
  __syncthreads();
  return sum;
}

}  // namespace gpugauge::kernels
