// The device code of footprint.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/memory/footprint.hpp"
#include "kernels/memory/sums.cuh"

namespace gpugauge::kernels::memory {

static __global__ void __launch_bounds__(footprint_threads)
    read_footprint_kernel(const uint4* __restrict__ data, std::uint32_t vectors, std::uint32_t steps,
                          std::size_t start_stride, std::uint32_t* __restrict__ sums) {
  // 32 bits: with 64 the counting would bound what L1 is read with, at 10 operations a load.
  auto at = static_cast<std::uint32_t>((blockIdx.x * start_stride + threadIdx.x) % vectors);
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
