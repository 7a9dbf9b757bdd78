// The device code of gather.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/memory/gather.hpp"
#include "kernels/memory/sums.cuh"

namespace gpugauge::kernels::memory {

static __global__ void __launch_bounds__(gather_threads)
    gather_kernel(const uint4* __restrict__ data, std::uint32_t sectors, std::uint64_t seed, int rounds,
                  std::uint32_t* __restrict__ sums) {
  const std::uint64_t pairs = static_cast<std::uint64_t>(gridDim.x) * (gather_threads / 2);
  std::uint64_t reading = (static_cast<std::uint64_t>(blockIdx.x) * gather_threads + threadIdx.x) / 2;
  const std::uint32_t half = threadIdx.x % 2;
  std::uint32_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    uint4 values[gather_unroll];
#pragma unroll
    for (int u = 0; u < gather_unroll; ++u) {
      values[u] = data[static_cast<std::size_t>(gathered_sector(seed, reading, sectors)) * 2 + half];
      reading += pairs;
    }
#pragma unroll
    for (int u = 0; u < gather_unroll; ++u) sum += word_sum_32(values[u]);
  }
  sum = block_sum_32<gather_threads>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace gpugauge::kernels::memory
