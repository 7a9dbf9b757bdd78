// The warp-level matrix instructions of mma.cuh.
#pragma once

#include <cstdint>

#include "kernels/peak/operands.hpp"

namespace gpugauge::kernels::peak {

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

/// c += a b, m16n8 with 256 bits of a row of A. The registers: Fragments in mma.cuh.
template <Element Type>
__device__ __forceinline__ void multiply(float (&c)[4], const std::uint32_t (&a)[4],
                                         const std::uint32_t (&b)[2]) {
  if constexpr (Type == Element::fp16) GPUGAUGE_MMA_FLOAT("m16n8k16", "f16.f16");
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

/// m16n8k8 of fp16, on the registers of m16n8k16 that hold one half of k: their layout is what this
/// instruction takes.
__device__ __forceinline__ void multiply_16x8x8(float (&c)[4], std::uint32_t a_low, std::uint32_t a_high,
                                                std::uint32_t b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a_low), "r"(a_high), "r"(b));
}

/// m8n8k16 of int8, on the registers of m16n8k32 that hold one half of the rows and of k: the same holds.
__device__ __forceinline__ void multiply_8x8x16(int& c0, int& c1, std::uint32_t a, std::uint32_t b) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};\n"
               : "+r"(c0), "+r"(c1)
               : "r"(a), "r"(b));
}

}  // namespace gpugauge::kernels::peak
