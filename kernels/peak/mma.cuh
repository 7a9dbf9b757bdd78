// The device code of mma.hpp.
#pragma once

#include "kernels/peak/mma.hpp"

namespace gpugauge::kernels::peak {

// Fragments as in the PTX manual, with g = lane / 4 and q = lane % 4. A register holds `per` elements along
// k. A: (g, q per), (g + 8, q per), (g, (q + 4) per), (g + 8, (q + 4) per); B: (q per, g), ((q + 4) per, g);
// C: (g, 2q), (g, 2q + 1), (g + 8, 2q), (g + 8, 2q + 1).
template <Element Type>
struct Fragments {
  static constexpr int per = 32 / element_bits(Type);
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
        a[i] |= encode(Type, element_a(Type, g + i % 2 * 8, (q + i / 2 * 4) * per + e))
                << (e * element_bits(Type));
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
                    << (e * element_bits(Type));
          b[chain][second][i] = bits;
        }
  }
};

/// Whether the architecture being compiled for has the instruction.
template <Element Type>
__device__ constexpr bool exists() {
#if !defined(__CUDA_ARCH__)
  return true;
#else
  return __CUDA_ARCH__ >= (Type == Element::fp8_e4m3 ? 890 : Type == Element::fp16 ? 750 : 800);
#endif
}

/// Whether the architecture being compiled for has the fp16 instruction only with half the depth.
__device__ constexpr bool half_depth() {
#if !defined(__CUDA_ARCH__)
  return false;
#else
  return __CUDA_ARCH__ < 800;
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

/// Rotates a by `zero` bits, which is 0 but unknown to the compiler. The operand stays the same, but ptxas
/// treats it as changed. `volatile` has no effect for ptxas within an emulated product. It would compute the
/// part of equal products that does not depend on the sum only once.
__device__ __forceinline__ void change(std::uint32_t (&a)[4], std::uint32_t zero) {
#pragma unroll
  for (int i = 0; i < 4; ++i) asm volatile("shf.l.wrap.b32 %0, %0, %0, %1;\n" : "+r"(a[i]) : "r"(zero));
}

// volatile: repeated instructions on equal operands must not be merged.
#define GPUGAUGE_MMA_FLOAT(kind, types)                         \
  asm volatile("mma.sync.aligned." kind ".row.col.f32." types   \
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "      \
               "{%8, %9}, {%0, %1, %2, %3};\n"                  \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

/// m16n8k8 of fp16, on the registers of m16n8k16 that hold one half of k: their layout is what this
/// instruction takes.
__device__ __forceinline__ void multiply_half(float (&c)[4], std::uint32_t a_low, std::uint32_t a_high,
                                              std::uint32_t b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a_low), "r"(a_high), "r"(b));
}

template <Element Type>
__device__ __forceinline__ void multiply(float (&c)[4], const std::uint32_t (&a)[4],
                                         const std::uint32_t (&b)[2]) {
  if constexpr (Type == Element::fp16 && half_depth()) {
    multiply_half(c, a[0], a[1], b[0]);
    multiply_half(c, a[2], a[3], b[1]);
    return;
  }
  if constexpr (Type == Element::fp16 && !half_depth()) GPUGAUGE_MMA_FLOAT("m16n8k16", "f16.f16");
  if constexpr (Type == Element::bf16) GPUGAUGE_MMA_FLOAT("m16n8k16", "bf16.bf16");
  if constexpr (Type == Element::tf32) GPUGAUGE_MMA_FLOAT("m16n8k8", "tf32.tf32");
  if constexpr (Type == Element::fp8_e4m3) GPUGAUGE_MMA_FLOAT("m16n8k32", "e4m3.e4m3");
}
#undef GPUGAUGE_MMA_FLOAT

// Without .satfinite: the sum wraps around.
template <Element Type>
__device__ __forceinline__ void multiply(int (&c)[4], const std::uint32_t (&a)[4],
                                         const std::uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <Element Type>
struct Sum {
  using type = float;
};
template <>
struct Sum<Element::int8> {
  using type = int;
};

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

template <typename Type>
__global__ void __launch_bounds__(mma_threads) mma_peak_kernel(std::uint32_t* words, int pairs) {
  if constexpr (exists<Type::element>()) {
    Fragments<Type::element> operands;
    operands.make();
    const std::uint32_t zero = static_cast<std::uint32_t>(pairs) >> 31;
    std::uint32_t word = 0;
#pragma unroll 1
    for (int round = 0; round < mma_rounds(Type::element); ++round) {
      typename Sum<Type::element>::type c[mma_chains][4] = {};
#pragma unroll 1
      for (int pair = 0; pair < pairs; pair += mma_unroll)
#pragma unroll
        for (int u = 0; u < 2 * mma_unroll; ++u) {
          if constexpr (emulated<Type::element>()) change(operands.a, zero);
#pragma unroll
          for (int chain = 0; chain < mma_chains; ++chain)
            multiply<Type::element>(c[chain], operands.a, operands.b[chain][u % 2]);
        }
#pragma unroll
      for (int chain = 0; chain < mma_chains; ++chain) {
        multiply<Type::element>(c[chain], operands.a, operands.b[chain][0]);
#pragma unroll
        for (int i = 0; i < 4; ++i) word = fold(word, bits_of_sum(c[chain][i]));
      }
    }
    write_word(words, word);
  }
}

}  // namespace gpugauge::kernels::peak
