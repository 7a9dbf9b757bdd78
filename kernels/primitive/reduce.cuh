// The device code of reduce.hpp.
#pragma once

#include <cstddef>

#include "kernels/primitive/block.cuh"
#include "kernels/primitive/reduce.hpp"

namespace gpugauge::kernels::primitive {

__device__ __forceinline__ float sum_of(float4 v) {
  return (v.x + v.y) + (v.z + v.w);
}

// One kernel: the last block to finish adds up the partial sums of all blocks.
static __global__ void __launch_bounds__(reduce_threads)
    reduce_kernel(const float* __restrict__ data, std::size_t count, float* partials, unsigned* finished,
                  float* sum) {
  __shared__ float scratch[reduce_threads / 32];
  __shared__ bool last;
  const float4* const vectors = reinterpret_cast<const float4*>(data);
  const std::size_t vector_count = count / 4;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * reduce_threads + threadIdx.x;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * reduce_threads;
  float total = 0;
  std::size_t i = first;
  for (; i + (reduce_unroll - 1) * stride < vector_count; i += reduce_unroll * stride) {
    float4 values[reduce_unroll];
#pragma unroll
    for (int u = 0; u < reduce_unroll; ++u) values[u] = vectors[i + u * stride];
#pragma unroll
    for (int u = 0; u < reduce_unroll; ++u) total += sum_of(values[u]);
  }
  for (; i < vector_count; i += stride) total += sum_of(vectors[i]);
  if (vector_count * 4 + first < count) total += data[vector_count * 4 + first];

  total = block_all<reduce_threads>(total, scratch, Sum{});
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = total;
    __threadfence();  // makes the partial sum visible before the count
    last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;  // wraps to 0: ready for the next call
    __threadfence();                                             // ... to the block that reads them
  }
  __syncthreads();
  if (!last) return;
  const volatile float* const written = partials;
  total = 0;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += reduce_threads) total += written[block];
  total = block_all<reduce_threads>(total, scratch, Sum{});
  if (threadIdx.x == 0) *sum = total;
}

}  // namespace gpugauge::kernels::primitive
