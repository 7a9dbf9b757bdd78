// The device code of write, scale and add of stream.hpp.
#pragma once

#include <cstddef>

#include "kernels/memory/stream.cuh"

namespace gpugauge::kernels::memory {

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
