// The device code of atomics.hpp.
#pragma once

#include <cstdint>

#include "kernels/memory/access.cuh"
#include "kernels/memory/atomics.hpp"

namespace gpugauge::kernels::memory {

static __global__ void __launch_bounds__(atomics_threads)
    add_atomically_kernel(std::uint32_t* counters, std::uint32_t words, int rounds) {
  const std::uint32_t all = gridDim.x * atomics_threads;
  const std::uint32_t step = all % words;
  std::uint32_t word = (blockIdx.x * atomics_threads + threadIdx.x) % words;
  for (int round = 0; round < rounds; ++round) {
    access::add_without_answer(counters + word, 1);
    word += step;
    if (word >= words) word -= words;
  }
}

}  // namespace gpugauge::kernels::memory
