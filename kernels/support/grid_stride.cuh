// Where a thread begins, and how far it steps, when the whole grid strides over the data.
#pragma once

#include <cstddef>

namespace gpugauge::kernels {

/// Number of this thread in a one-dimensional grid: the first element that it takes.
__device__ __forceinline__ std::size_t first_index() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
/// Threads in a one-dimensional grid: the distance to the next element that a thread takes.
__device__ __forceinline__ std::size_t stride() {
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

}  // namespace gpugauge::kernels
