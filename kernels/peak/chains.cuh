// The device code of chains.hpp.
#pragma once

#include <cstddef>

#include "kernels/peak/chains.hpp"
#include "kernels/peak/operands.hpp"

namespace gpugauge::kernels::peak {

// The start value of a lane, one step, and the bits of the result, for each kind of chain.
struct Fp64Chain {
  using Value = double;
  double offset;
  __device__ explicit Fp64Chain(int lane) : offset(chain_offset(lane)) {}
  __device__ double start(int lane, int index) const { return chain_start(lane, index); }
  __device__ __forceinline__ double step(double x) const { return fma(x, x, offset); }
  __device__ std::uint32_t fold_into(std::uint32_t word, double x) const {
    return fold(fold(word, static_cast<std::uint32_t>(__double2hiint(x))),
                static_cast<std::uint32_t>(__double2loint(x)));
  }
};

struct Fp32Chain {
  using Value = float;
  float offset;
  __device__ explicit Fp32Chain(int lane) : offset(chain_offset(lane)) {}
  __device__ float start(int lane, int index) const { return chain_start(lane, index); }
  __device__ __forceinline__ float step(float x) const { return __fmaf_rn(x, x, offset); }
  __device__ std::uint32_t fold_into(std::uint32_t word, float x) const { return fold(word, bits_of(x)); }
};

struct Fp16x2Chain {
  using Value = std::uint32_t;
  std::uint32_t offset;
  // Both numbers are exact in fp16. They are converted one by one, because the paired instruction needs 8.0
  // or later.
  static __device__ std::uint32_t pair(float low, float high) {
    std::uint32_t packed;
    asm("{\n.reg .f16 low, high;\ncvt.rn.f16.f32 low, %2;\ncvt.rn.f16.f32 high, %1;\nmov.b32 %0, {low, "
        "high};\n}\n"
        : "=r"(packed)
        : "f"(high), "f"(low));
    return packed;
  }
  __device__ explicit Fp16x2Chain(int lane) : offset(pair(chain_offset(lane), chain_offset(lane))) {}
  __device__ std::uint32_t start(int lane, int index) const {
    return pair(chain_start(lane, index), chain_start(lane, index + chains));
  }
  __device__ __forceinline__ std::uint32_t step(std::uint32_t x) const {
    std::uint32_t next;
    asm("fma.rn.f16x2 %0, %1, %1, %2;\n" : "=r"(next) : "r"(x), "r"(offset));
    return next;
  }
  __device__ std::uint32_t fold_into(std::uint32_t word, std::uint32_t x) const { return fold(word, x); }
};

struct Int32Chain {
  using Value = std::uint32_t;
  std::uint32_t factor, offset;
  __device__ explicit Int32Chain(int lane)
      : factor(chain_factor(lane)), offset(chain_integer(lane, chains)) {}
  __device__ std::uint32_t start(int lane, int index) const { return chain_integer(lane, index); }
  // In assembly, because the compiler could merge several steps of plain arithmetic.
  __device__ __forceinline__ std::uint32_t step(std::uint32_t x) const {
    std::uint32_t next;
    asm("mad.lo.u32 %0, %1, %2, %3;\n" : "=r"(next) : "r"(x), "r"(factor), "r"(offset));
    return next;
  }
  __device__ std::uint32_t fold_into(std::uint32_t word, std::uint32_t x) const { return fold(word, x); }
};

struct Dp4aChain {
  using Value = std::uint32_t;
  std::uint32_t factor;
  __device__ explicit Dp4aChain(int lane) : factor(chain_integer(lane, chains)) {}
  __device__ std::uint32_t start(int lane, int index) const { return chain_integer(lane, index); }
  __device__ __forceinline__ std::uint32_t step(std::uint32_t x) const {
    std::uint32_t next;
    asm("dp4a.s32.s32 %0, %1, %2, %1;\n" : "=r"(next) : "r"(x), "r"(factor));
    return next;
  }
  __device__ std::uint32_t fold_into(std::uint32_t word, std::uint32_t x) const { return fold(word, x); }
};

template <typename Kind>
__global__ void __launch_bounds__(chain_threads) chain_kernel(std::uint32_t* words, int steps) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Kind kind(lane);
  typename Kind::Value x[chains];
#pragma unroll
  for (int index = 0; index < chains; ++index) x[index] = kind.start(lane, index);
#pragma unroll 1
  for (int step = 0; step < steps; step += chain_unroll)
#pragma unroll
    for (int u = 0; u < chain_unroll; ++u)
#pragma unroll
      for (int index = 0; index < chains; ++index) x[index] = kind.step(x[index]);
  std::uint32_t word = 0;
#pragma unroll
  for (int index = 0; index < chains; ++index) word = kind.fold_into(word, x[index]);
  words[static_cast<std::size_t>(blockIdx.x) * chain_threads + threadIdx.x] = word;
}

}  // namespace gpugauge::kernels::peak
