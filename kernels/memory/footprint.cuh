// The device code of footprint.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/memory/footprint.hpp"
#include "kernels/memory/sums.cuh"

namespace gpugauge::kernels::memory {

/// Reads `steps` times footprint_threads vectors in each of `turns` turns; see FootprintPlan.
static __global__ void __launch_bounds__(footprint_threads)
    read_footprint_kernel(const uint4* __restrict__ data, std::uint32_t vectors, std::uint32_t steps,
                          std::size_t start_stride, std::uint32_t turns, std::uint32_t hop,
                          std::uint32_t* __restrict__ sums) {
  std::uint32_t sum = 0;
  std::uint32_t begins_as = blockIdx.x;
  for (; turns > 0; --turns) {
    // 32 bits: with 64-bit indices the counting, at 10 operations per load, would limit the L1 bandwidth.
    auto at = static_cast<std::uint32_t>((begins_as * start_stride + threadIdx.x) % vectors);
    const auto advance = [&] {
      at += footprint_threads;
      if (at >= vectors) at -= vectors;
    };
    std::uint32_t left = steps;
    for (; left >= footprint_unroll; left -= footprint_unroll) {
      uint4 values[footprint_unroll];
#pragma unroll
      for (int u = 0; u < footprint_unroll; ++u) {
        values[u] = data[at];
        advance();
      }
#pragma unroll
      for (int u = 0; u < footprint_unroll; ++u) sum += word_sum_32(values[u]);
    }
    for (; left > 0; --left) {
      sum += word_sum_32(data[at]);
      advance();
    }
    begins_as = (begins_as + hop) % gridDim.x;
  }
  sum = block_sum_32<footprint_threads>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace gpugauge::kernels::memory
