// The device code of copy_pair, write, scale and add of stream.hpp.
#pragma once

#include <cstddef>

#include "kernels/memory/stream.cuh"

namespace gpugauge::kernels::memory {

// The store of the pair whose load is the quicker one comes first: `from` should be device memory.
static __global__ void __launch_bounds__(map_threads)
    copy_pair_kernel(const float* __restrict__ from, float* __restrict__ to,
                     const float* __restrict__ other_from, float* __restrict__ other_to, std::size_t count) {
  const MapPlace at;
  if (at.has_vector(count)) {
    const float4 other = reinterpret_cast<const float4*>(other_from)[at.vector];
    const float4 one = reinterpret_cast<const float4*>(from)[at.vector];
    reinterpret_cast<float4*>(to)[at.vector] = one;
    reinterpret_cast<float4*>(other_to)[at.vector] = other;
  }
  if (const std::size_t tail = at.tail(count); tail < count) {
    to[tail] = from[tail];
    other_to[tail] = other_from[tail];
  }
}

static __global__ void __launch_bounds__(threads) write_kernel(float value, float* to, std::size_t count) {
  float4* const targets = reinterpret_cast<float4*>(to);
  const std::size_t vector_count = count / 4;
  const std::size_t stride = grid_stride();
  for (std::size_t i = first_index(); i < vector_count; i += stride)
    targets[i] = make_float4(value, value, value, value);
  const std::size_t tail = vector_count * 4 + first_index();
  if (tail < count) to[tail] = value;
}

static __global__ void __launch_bounds__(map_threads)
    scale_kernel(const float* __restrict__ from, float factor, float* __restrict__ to, std::size_t count) {
  map_one(from, to, count, Scale{factor});
}

static __global__ void __launch_bounds__(map_threads)
    add_kernel(const float* __restrict__ b, const float* __restrict__ c, float* __restrict__ a,
               std::size_t count) {
  map_two(b, c, a, count, Add{});
}

}  // namespace gpugauge::kernels::memory
