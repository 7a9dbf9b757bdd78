// The device code of footprint.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/memory/footprint.hpp"
#include "kernels/memory/sums.cuh"

namespace gpugauge::kernels::memory {

static __global__ void __launch_bounds__(footprint_threads)
    read_footprint_kernel(const uint4* __restrict__ data, std::size_t vectors, std::size_t vectors_per_block,
                          std::size_t start_stride, std::uint32_t* __restrict__ sums) {
  // Both are multiples of the block's threads, so that every thread reads as often as the next.
  std::size_t steps = vectors_per_block / footprint_threads;
  std::size_t at = (blockIdx.x * start_stride + threadIdx.x) % vectors;
  std::uint32_t sum = 0;
  const auto advance = [&] {
    at += footprint_threads;
    if (at >= vectors) at -= vectors;
  };
  for (; steps >= footprint_unroll; steps -= footprint_unroll) {
    uint4 values[footprint_unroll];
#pragma unroll
    for (int u = 0; u < footprint_unroll; ++u) {
      values[u] = data[at];
      advance();
    }
#pragma unroll
    for (int u = 0; u < footprint_unroll; ++u) sum += word_sum_32(values[u]);
  }
  for (; steps > 0; --steps) {
    sum += word_sum_32(data[at]);
    advance();
  }
  sum = block_sum_32<footprint_threads>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace gpugauge::kernels::memory
