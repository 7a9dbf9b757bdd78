// The device code of transforms.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/integrity/transforms.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::integrity {

constexpr int transform_threads = transform_points / 4;  // each computes four points per step

/// One block per row. Five radix-4 steps (Stockham), which need no bit reversal; each goes from one half of
/// shared memory to the other. SmOf()() returns the number of the SM that runs the block.
template <typename SmOf>
static __global__ void __launch_bounds__(transform_threads)
    transform_kernel(const float2* __restrict__ factors, float2* __restrict__ to, int times,
                     std::uint64_t seed, unsigned long long* __restrict__ sums,
                     std::uint32_t* __restrict__ sms, SmOf sm_of) {
  __shared__ float real[2][transform_points];
  __shared__ float imaginary[2][transform_points];
  __shared__ unsigned long long warp_sums[transform_threads / 32];
  const int thread = static_cast<int>(threadIdx.x);
  const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x) * transform_points;
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const int i = thread + part * transform_threads;
    const std::uint64_t index = 2 * (first + static_cast<std::uint64_t>(i));
    real[0][i] = uniform(seed, index);
    imaginary[0][i] = uniform(seed, index + 1);
  }
  __syncthreads();
  int from = 0;
  for (int time = 0; time < times; ++time) {
    for (int apart = 1; apart < transform_points; apart *= 4) {
      const int k = thread % apart;
      float x[4];
      float y[4];
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const float a = real[from][thread + part * transform_threads];
        const float b = imaginary[from][thread + part * transform_threads];
        const float2 factor = factors[part * k * (transform_threads / apart)];
        x[part] = a * factor.x - b * factor.y;
        y[part] = a * factor.y + b * factor.x;
      }
      const float even_x = x[0] + x[2], even_y = y[0] + y[2];
      const float less_x = x[0] - x[2], less_y = y[0] - y[2];
      const float odd_x = x[1] + x[3], odd_y = y[1] + y[3];
      const float turn_x = y[1] - y[3], turn_y = x[3] - x[1];  // -i (z1 - z3)
      const int at = (thread - k) * 4 + k;
      const int other = 1 - from;
      constexpr float half = 0.5F;  // applied five times: divides by 32
      real[other][at] = (even_x + odd_x) * half;
      imaginary[other][at] = (even_y + odd_y) * half;
      real[other][at + apart] = (less_x + turn_x) * half;
      imaginary[other][at + apart] = (less_y + turn_y) * half;
      real[other][at + 2 * apart] = (even_x - odd_x) * half;
      imaginary[other][at + 2 * apart] = (even_y - odd_y) * half;
      real[other][at + 3 * apart] = (less_x - turn_x) * half;
      imaginary[other][at + 3 * apart] = (less_y - turn_y) * half;
      from = other;
      __syncthreads();
    }
  }
  unsigned long long sum = 0;
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const int i = thread + part * transform_threads;
    const std::uint64_t index = first + static_cast<std::uint64_t>(i);
    to[index] = make_float2(real[from][i], imaginary[from][i]);
    sum += checksum_term(2 * index, bits_of(real[from][i]));
    sum += checksum_term(2 * index + 1, bits_of(imaginary[from][i]));
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffU, sum, offset);
  if (thread % 32 == 0) warp_sums[thread / 32] = sum;
  __syncthreads();
  if (thread == 0) {
    unsigned long long total = 0;
    for (const unsigned long long part : warp_sums) total += part;
    sums[blockIdx.x] = total;
    sms[blockIdx.x] = sm_of();
  }
}

}  // namespace gpugauge::kernels::integrity
