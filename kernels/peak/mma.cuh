// The device code of mma.hpp.
#pragma once

#include "kernels/peak/mma.hpp"
#include "kernels/peak/mma_instructions.cuh"

namespace gpugauge::kernels::peak {

// Fragments as in the PTX manual, with g = lane / 4 and q = lane % 4. A register holds `per` elements along
// k. A: (g, q per), (g + 8, q per), (g, (q + 4) per), (g + 8, (q + 4) per); B: (q per, g), ((q + 4) per, g);
// C: (g, 2q), (g, 2q + 1), (g + 8, 2q), (g + 8, 2q + 1).
template <Element Type>
struct Fragments {
  static constexpr int bits_each = element_bits(Type);
  static constexpr int per = 32 / bits_each;
  std::uint32_t a[4];
  std::uint32_t b[mma_chains][2][2];  // chain, which of the two matrices, register

  __device__ __forceinline__ void make() {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int g = lane / 4;
    const int q = lane % 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      a[i] = 0;
#pragma unroll
      for (int e = 0; e < per; ++e)
        a[i] |= encode(Type, element_a(Type, g + i % 2 * 8, (q + i / 2 * 4) * per + e)) << (e * bits_each);
    }
#pragma unroll
    for (int chain = 0; chain < mma_chains; ++chain)
#pragma unroll
      for (int second = 0; second < 2; ++second)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          std::uint32_t bits = 0;
#pragma unroll
          for (int e = 0; e < per; ++e)
            bits |= encode(Type, element_b(Type, (q + i * 4) * per + e, chain * 8 + g, second != 0))
                    << (e * bits_each);
          b[chain][second][i] = bits;
        }
  }
};

/// Whether the architecture being compiled for has the instruction, or smaller ones.
template <Element Type>
__device__ constexpr bool exists() {
#if !defined(__CUDA_ARCH__)
  return true;
#else
  return __CUDA_ARCH__ >= least_compute_capability(Type) * 10;
#endif
}

/// Whether the architecture being compiled for has only smaller instructions for this type.
template <Element Type>
__device__ constexpr bool only_smaller() {
#if !defined(__CUDA_ARCH__)
  return false;
#else
  return (Type == Element::fp16 || Type == Element::int8) && __CUDA_ARCH__ < 800;
#endif
}

/// Whether ptxas emulates the product with other instructions on the architecture being compiled for. From
/// 9.0 to 11.0 it does so for fp8, with HMMA.
template <Element Type>
__device__ constexpr bool emulated() {
#if !defined(__CUDA_ARCH__)
  return false;
#else
  return Type == Element::fp8_e4m3 && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200;
#endif
}

template <Element Type>
struct Sum {
  using type = float;
};
template <>
struct Sum<Element::int8> {
  using type = int;
};

/// c += a b, by one instruction or with `Smaller` by those of 7.5: half of the depth is in a[0], a[1], b[0], the
/// other in a[2], a[3], b[1]; half of the rows in a[0], a[2], c[0], c[1], the other in a[1], a[3], c[2], c[3].
template <Element Type, bool Smaller>
__device__ __forceinline__ void add_product(typename Sum<Type>::type (&c)[4], const std::uint32_t (&a)[4],
                                            const std::uint32_t (&b)[2]) {
  if constexpr (!Smaller) {
    multiply<Type>(c, a, b);
  } else if constexpr (Type == Element::int8) {
    multiply_8x8x16(c[0], c[1], a[0], b[0]);
    multiply_8x8x16(c[2], c[3], a[1], b[0]);
    multiply_8x8x16(c[0], c[1], a[2], b[1]);
    multiply_8x8x16(c[2], c[3], a[3], b[1]);
  } else {
    multiply_16x8x8(c, a[0], a[1], b[0]);
    multiply_16x8x8(c, a[2], a[3], b[1]);
  }
}

// x + 0 turns -0, which the Tensor Cores may return, into 0.
__device__ __forceinline__ std::uint32_t bits_of_sum(float sum) {
  return __float_as_uint(__fadd_rn(sum, 0.0F));
}
__device__ __forceinline__ std::uint32_t bits_of_sum(int sum) {
  return static_cast<std::uint32_t>(sum);
}

__device__ __forceinline__ void write_word(std::uint32_t* words, std::uint32_t word) {
  words[static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = word;
}

/// The work of one thread.
template <Element Type, bool Smaller>
__device__ __forceinline__ void run_chains(std::uint32_t* words, int pairs) {
  Fragments<Type> operands;
  operands.make();
  const std::uint32_t zero = static_cast<std::uint32_t>(pairs) >> 31;
  std::uint32_t word = 0;
#pragma unroll 1
  for (int round = 0; round < mma_rounds(Type); ++round) {
    typename Sum<Type>::type c[mma_chains][4] = {};
#pragma unroll 1
    for (int pair = 0; pair < pairs; pair += mma_unroll)
#pragma unroll
      for (int u = 0; u < 2 * mma_unroll; ++u) {
        if constexpr (emulated<Type>()) change(operands.a, zero);
#pragma unroll
        for (int chain = 0; chain < mma_chains; ++chain)
          add_product<Type, Smaller>(c[chain], operands.a, operands.b[chain][u % 2]);
      }
#pragma unroll
    for (int chain = 0; chain < mma_chains; ++chain) {
      add_product<Type, Smaller>(c[chain], operands.a, operands.b[chain][0]);
#pragma unroll
      for (int i = 0; i < 4; ++i) word = fold(word, bits_of_sum(c[chain][i]));
    }
  }
  write_word(words, word);
}

template <typename Type>
__global__ void __launch_bounds__(mma_threads) mma_peak_kernel(std::uint32_t* words, int pairs) {
  if constexpr (exists<Type::element>())
    run_chains<Type::element, only_smaller<Type::element>()>(words, pairs);
}

}  // namespace gpugauge::kernels::peak
