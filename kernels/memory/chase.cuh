// The device code of chase.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/memory/access.cuh"
#include "kernels/memory/chase.hpp"

namespace gpugauge::kernels::memory {

static __global__ void scatter_chain_kernel(const std::uint32_t* __restrict__ next, std::uint32_t elements,
                                            std::size_t stride, std::uint64_t base) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements) *reinterpret_cast<std::uint64_t*>(base + i * stride) = base + next[i] * stride;
}

template <ChaseLevel Level>
__global__ void chase_kernel(std::uint64_t* at, std::uint32_t steps) {
  std::uint64_t place = *at;
#pragma unroll 16
  for (std::uint32_t step = 0; step < steps; ++step)
    place = Level == ChaseLevel::l1 ? access::load_through_l1(place) : access::load_past_l1(place);
  *at = place;
}

}  // namespace gpugauge::kernels::memory
