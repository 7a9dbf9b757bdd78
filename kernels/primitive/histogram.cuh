// The device code of histogram.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/primitive/histogram.hpp"

namespace gpugauge::kernels::primitive {

// Each warp counts into its own bins in shared memory, so that only lanes of one warp conflict.
constexpr int histogram_warps = histogram_threads / 32;

static __global__ void __launch_bounds__(histogram_threads)
    histogram_kernel(const float* __restrict__ data, std::size_t count, std::uint32_t* bins) {
  __shared__ std::uint32_t counts[histogram_warps][histogram_bins];
  for (int i = static_cast<int>(threadIdx.x); i < histogram_warps * histogram_bins; i += histogram_threads)
    counts[i / histogram_bins][i % histogram_bins] = 0;
  __syncthreads();
  std::uint32_t* const mine = counts[threadIdx.x / 32];
  const auto add = [mine](float value) { atomicAdd(mine + bin_of(value), 1U); };
  const auto add_vector = [&add](float4 v) {
    add(v.x);
    add(v.y);
    add(v.z);
    add(v.w);
  };
  const float4* const vectors = reinterpret_cast<const float4*>(data);
  const std::size_t vector_count = count / 4;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * histogram_threads + threadIdx.x;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * histogram_threads;
  std::size_t i = first;
  for (; i + (histogram_unroll - 1) * stride < vector_count; i += histogram_unroll * stride) {
    float4 values[histogram_unroll];
#pragma unroll
    for (int u = 0; u < histogram_unroll; ++u) values[u] = vectors[i + u * stride];
#pragma unroll
    for (int u = 0; u < histogram_unroll; ++u) add_vector(values[u]);
  }
  for (; i < vector_count; i += stride) add_vector(vectors[i]);
  if (vector_count * 4 + first < count) add(data[vector_count * 4 + first]);
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < histogram_bins; bin += histogram_threads) {
    std::uint32_t total = 0;
    for (int warp = 0; warp < histogram_warps; ++warp) total += counts[warp][bin];
    if (total != 0) atomicAdd(bins + bin, total);
  }
}

}  // namespace gpugauge::kernels::primitive
