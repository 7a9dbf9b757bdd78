// The fp64 instructions of mma.hpp.
#pragma once

#include "kernels/peak/mma.cuh"

namespace gpugauge::kernels::peak {

// m8n8k4: A (g, q), B (q, g), C (g, 2q), (g, 2q + 1). m16n8k16: A (g, q + 4j) and (g + 8, q + 4j) in turn, B
// (q + 4j, g), C as for the other types.
template <bool Large>
struct DoubleFragments {
  static constexpr int parts = Large ? 4 : 1;
  static constexpr int halves = Large ? 2 : 1;
  double a[parts * halves];
  double b[mma_chains][2][parts];

  __device__ __forceinline__ void make() {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int g = lane / 4;
    const int q = lane % 4;
#pragma unroll
    for (int part = 0; part < parts; ++part) {
#pragma unroll
      for (int half = 0; half < halves; ++half)
        a[part * halves + half] = element_a(Element::fp64, g + half * 8, q + part * 4);
#pragma unroll
      for (int chain = 0; chain < mma_chains; ++chain)
#pragma unroll
        for (int second = 0; second < 2; ++second)
          b[chain][second][part] = element_b(Element::fp64, q + part * 4, chain * 8 + g, second != 0);
    }
  }
};

__device__ __forceinline__ void multiply(double (&c)[2], const double (&a)[1], const double (&b)[1]) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\n"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a[0]), "d"(b[0]));
}

__device__ __forceinline__ void multiply(double (&c)[4], const double (&a)[8], const double (&b)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, "
      "%11}, "
      "{%12, %13, %14, %15}, {%0, %1, %2, %3};\n"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
        "d"(b[1]), "d"(b[2]), "d"(b[3]));
}

template <bool Large>
__device__ constexpr bool exists_fp64() {
#if !defined(__CUDA_ARCH__)
  return true;
#else
  return __CUDA_ARCH__ >= (Large ? 900 : 800);
#endif
}

template <bool Large>
__global__ void __launch_bounds__(mma_threads, Large ? 1 : 2)
    mma_peak_fp64_kernel(std::uint32_t* words, int pairs) {
  if constexpr (exists_fp64<Large>()) {
    DoubleFragments<Large> operands;
    operands.make();
    double c[mma_chains][Large ? 4 : 2] = {};
#pragma unroll 1
    for (int pair = 0; pair < pairs; pair += mma_unroll)
#pragma unroll
      for (int u = 0; u < 2 * mma_unroll; ++u)
#pragma unroll
        for (int chain = 0; chain < mma_chains; ++chain)
          multiply(c[chain], operands.a, operands.b[chain][u % 2]);
    std::uint32_t word = 0;
#pragma unroll
    for (int chain = 0; chain < mma_chains; ++chain) {
      multiply(c[chain], operands.a, operands.b[chain][0]);
#pragma unroll
      for (int i = 0; i < (Large ? 4 : 2); ++i)
        // The sum is an integer below 2^24; the second term detects one that is not.
        word = fold(word, bits_of_sum(static_cast<float>(c[chain][i]))) +
               (c[chain][i] == static_cast<double>(static_cast<float>(c[chain][i])) ? 0U : 1U);
    }
    write_word(words, word);
  }
}

}  // namespace gpugauge::kernels::peak
