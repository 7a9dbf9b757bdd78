// The device code of stream.hpp.
#pragma once

#include <cstddef>

#include "kernels/memory/maps.hpp"
#include "kernels/memory/stream.hpp"

namespace gpugauge::kernels::memory {

__device__ __forceinline__ std::size_t first_index() {
  return static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
}

__device__ __forceinline__ std::size_t grid_stride() {
  return static_cast<std::size_t>(gridDim.x) * threads;
}

__device__ __forceinline__ unsigned long long word_sum(float4 value) {
  return static_cast<unsigned long long>(__float_as_uint(value.x)) + __float_as_uint(value.y) +
         __float_as_uint(value.z) + __float_as_uint(value.w);
}

// All threads of a block of `threads` must call it; thread 0 gets the sum.
__device__ inline unsigned long long block_sum(unsigned long long value) {
  __shared__ unsigned long long warp_sums[threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffU, value, offset);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  unsigned long long sum = 0;
  if (threadIdx.x == 0)
    for (const unsigned long long part : warp_sums) sum += part;
  return sum;
}

static __global__ void __launch_bounds__(threads)
    read_kernel(const float* __restrict__ data, std::size_t count,
                unsigned long long* __restrict__ partial_sums) {
  const float4* const vectors = reinterpret_cast<const float4*>(data);
  const std::size_t vector_count = count / 4;
  const std::size_t stride = grid_stride();
  unsigned long long sum = 0;
  std::size_t i = first_index();
  for (; i + (unroll - 1) * stride < vector_count; i += unroll * stride) {
    float4 values[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) values[u] = vectors[i + u * stride];
#pragma unroll
    for (int u = 0; u < unroll; ++u) sum += word_sum(values[u]);
  }
  for (; i < vector_count; i += stride) sum += word_sum(vectors[i]);
  const std::size_t tail = vector_count * 4 + first_index();
  if (tail < count) sum += __float_as_uint(data[tail]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = sum;
}

// The thread's vector, and its element after the last vector, if it has one.
struct MapPlace {
  std::size_t vector = static_cast<std::size_t>(blockIdx.x) * map_threads + threadIdx.x;
  __device__ __forceinline__ bool has_vector(std::size_t count) const { return vector < count / 4; }
  __device__ __forceinline__ std::size_t tail(std::size_t count) const { return count / 4 * 4 + vector; }
};

// to[i] = map(from[i]), in map_blocks(count) blocks of map_threads.
template <typename Map>
__device__ __forceinline__ void map_one(const float* __restrict__ from, float* __restrict__ to,
                                        std::size_t count, Map map) {
  const MapPlace at;
  if (at.has_vector(count)) {
    const float4 v = reinterpret_cast<const float4*>(from)[at.vector];
    reinterpret_cast<float4*>(to)[at.vector] = make_float4(map(v.x), map(v.y), map(v.z), map(v.w));
  }
  if (const std::size_t tail = at.tail(count); tail < count) to[tail] = map(from[tail]);
}

// a[i] = map(b[i], c[i]), in map_blocks(count) blocks of map_threads.
template <typename Map>
__device__ __forceinline__ void map_two(const float* __restrict__ b, const float* __restrict__ c,
                                        float* __restrict__ a, std::size_t count, Map map) {
  const MapPlace at;
  if (at.has_vector(count)) {
    const float4 v = reinterpret_cast<const float4*>(b)[at.vector];
    const float4 w = reinterpret_cast<const float4*>(c)[at.vector];
    reinterpret_cast<float4*>(a)[at.vector] =
        make_float4(map(v.x, w.x), map(v.y, w.y), map(v.z, w.z), map(v.w, w.w));
  }
  if (const std::size_t tail = at.tail(count); tail < count) a[tail] = map(b[tail], c[tail]);
}

static __global__ void __launch_bounds__(map_threads)
    copy_kernel(const float* __restrict__ from, float* __restrict__ to, std::size_t count) {
  map_one(from, to, count, Same{});
}

static __global__ void __launch_bounds__(map_threads)
    triad_kernel(const float* __restrict__ b, const float* __restrict__ c, float factor,
                 float* __restrict__ a, std::size_t count) {
  map_two(b, c, a, count, Triad{factor});
}

}  // namespace gpugauge::kernels::memory
