// The device code of rows.hpp.
#pragma once

#include <cstddef>

#include "kernels/primitive/block.cuh"
#include "kernels/primitive/rows.hpp"

namespace gpugauge::kernels::primitive {

// One row in the registers of a block: thread t holds vectors t, t + Threads, ... of Width floats each.
template <int Threads, int Width, int Vectors>
struct Row {
  float values[Vectors][Width];

  static __device__ __forceinline__ int column(int vector) {
    return (vector * Threads + static_cast<int>(threadIdx.x)) * Width;
  }
  // Reads one array of the row's length. Columns past its end get `otherwise`.
  __device__ __forceinline__ void load(const float* __restrict__ from, int columns, float otherwise) {
#pragma unroll
    for (int v = 0; v < Vectors; ++v) {
      const int c = column(v);
      if (c < columns) {
        load_vector(values[v], from + c);
      } else {
#pragma unroll
        for (int w = 0; w < Width; ++w) values[v][w] = otherwise;
      }
    }
  }
  static __device__ __forceinline__ void load_vector(float (&to)[Width], const float* from) {
    if constexpr (Width == 4) {
      const float4 four = *reinterpret_cast<const float4*>(from);
      to[0] = four.x;
      to[1] = four.y;
      to[2] = four.z;
      to[3] = four.w;
    } else {
      to[0] = *from;
    }
  }
  __device__ __forceinline__ void store(float* __restrict__ to, int columns) const {
#pragma unroll
    for (int v = 0; v < Vectors; ++v) {
      const int c = column(v);
      if (c >= columns) continue;
      if constexpr (Width == 4)
        *reinterpret_cast<float4*>(to + c) =
            make_float4(values[v][0], values[v][1], values[v][2], values[v][3]);
      else
        to[c] = values[v][0];
    }
  }
  // Calls act(value, vector, index within it) for every register.
  template <typename Act>
  __device__ __forceinline__ void each(Act act) {
#pragma unroll
    for (int v = 0; v < Vectors; ++v)
#pragma unroll
      for (int w = 0; w < Width; ++w) act(values[v][w], v, w);
  }
};

struct Softmax {
  template <int Threads, int Width, int Vectors>
  __device__ __forceinline__ void operator()(Row<Threads, Width, Vectors>& row, int,
                                             float (&scratch)[2][32]) const {
    float largest = Maximum::neutral;
    row.each([&](float& value, int, int) { largest = Maximum{}(value, largest); });
    largest = block_all<Threads>(largest, scratch[0], Maximum{});
    float sum = 0;
    row.each([&](float& value, int, int) {
      value = exp2f((value - largest) * 1.44269504088896F);
      sum += value;
    });
    sum = block_all<Threads>(sum, scratch[1], Sum{});
    const float factor = 1 / sum;
    row.each([&](float& value, int, int) { value *= factor; });
  }
  static constexpr float otherwise = -INFINITY;  // its exponential is 0
};

struct LayerNorm {
  const float* gain;
  const float* bias;
  float epsilon;

  template <int Threads, int Width, int Vectors>
  __device__ __forceinline__ void operator()(Row<Threads, Width, Vectors>& row, int columns,
                                             float (&scratch)[2][32]) const {
    using Whole = Row<Threads, Width, Vectors>;
    float sum = 0;
    row.each([&](float& value, int, int) { sum += value; });
    const float mean = block_all<Threads>(sum, scratch[0], Sum{}) / static_cast<float>(columns);
    float squares = 0;
    row.each([&](float& value, int v, int) {
      value -= mean;
      if (Whole::column(v) < columns) squares += value * value;
    });
    const float variance = block_all<Threads>(squares, scratch[1], Sum{}) / static_cast<float>(columns);
    const float factor = 1 / sqrtf(variance + epsilon);
#pragma unroll
    for (int v = 0; v < Vectors; ++v) {
      const int c = Whole::column(v);
      if (c >= columns) continue;
      float gains[Width];
      float biases[Width];
      Whole::load_vector(gains, gain + c);
      Whole::load_vector(biases, bias + c);
#pragma unroll
      for (int w = 0; w < Width; ++w) row.values[v][w] = fmaf(row.values[v][w] * factor, gains[w], biases[w]);
    }
  }
  static constexpr float otherwise = 0;
};

struct RmsNorm {
  const float* gain;
  float epsilon;

  template <int Threads, int Width, int Vectors>
  __device__ __forceinline__ void operator()(Row<Threads, Width, Vectors>& row, int columns,
                                             float (&scratch)[2][32]) const {
    using Whole = Row<Threads, Width, Vectors>;
    float squares = 0;
    row.each([&](float& value, int, int) { squares += value * value; });
    const float mean = block_all<Threads>(squares, scratch[0], Sum{}) / static_cast<float>(columns);
    const float factor = 1 / sqrtf(mean + epsilon);
#pragma unroll
    for (int v = 0; v < Vectors; ++v) {
      const int c = Whole::column(v);
      if (c >= columns) continue;
      float gains[Width];
      Whole::load_vector(gains, gain + c);
#pragma unroll
      for (int w = 0; w < Width; ++w) row.values[v][w] *= factor * gains[w];
    }
  }
  static constexpr float otherwise = 0;
};

// Rows of more than 8192 columns run two blocks per SM, so that one loads while the other reduces. Where the
// compiler cannot hold a thread's 32 values in 64 registers, they run one block with twice the threads. That
// variant is built for every architecture, because PTX of an earlier one may run.
constexpr int spilling_long_rows_from = 100;  // compute capability
template <int Threads, int Vectors>
__device__ constexpr bool is_used() {
#if defined(__CUDA_ARCH__)
  return Threads != 512 || Vectors != 8 || __CUDA_ARCH__ < spilling_long_rows_from * 10;
#else
  return true;
#endif
}

// Block r computes row r.
template <int Threads, int Width, int Vectors, typename Operation>
__global__ void __launch_bounds__(Threads, 2048 / Threads > 2 ? 2048 / Threads / 2 : 1)
    rows_kernel(const float* from, float* to, int columns, Operation operation) {
  if constexpr (is_used<Threads, Vectors>()) {
    __shared__ float scratch[2][32];
    const std::size_t start = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(columns);
    Row<Threads, Width, Vectors> row;
    row.load(from + start, columns, Operation::otherwise);
    operation(row, columns, scratch);
    row.store(to + start, columns);
  }
}

}  // namespace gpugauge::kernels::primitive
