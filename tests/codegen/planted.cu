// Kernels that break what planted.codegen.json declares, each in one way, and one that does not: the proof
// that `gpugauge codegen` finds it. Compiled and never run.
#include <cstdint>

namespace gpugauge::kernels::planted {

constexpr int steps = 64;

__device__ __forceinline__ void tensor_step(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                            std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// The same signature, without Tensor Cores: what a wrong architecture guard falls back to.
__device__ __forceinline__ void plain_step(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                           std::uint32_t b1) {
#pragma unroll
  for (int i = 0; i < 4; ++i) c[i] = fmaf(__uint_as_float(a[i]), __uint_as_float(i % 2 == 0 ? b0 : b1), c[i]);
}

template <bool Tensor>
__device__ __forceinline__ void product(const std::uint32_t* from, float* to) {
  const std::uint32_t a[4] = {from[threadIdx.x], from[threadIdx.x + 32], from[threadIdx.x + 64],
                              from[threadIdx.x + 96]};
  float c[4] = {};
#pragma unroll 8
  for (int step = 0; step < steps; ++step) {
    if (Tensor)
      tensor_step(c, a, a[0], a[1]);
    else
      plain_step(c, a, a[0], a[1]);
  }
  to[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__global__ void healthy_kernel(const std::uint32_t* from, float* to) {
  product<true>(from, to);
}

__global__ void without_tensor_kernel(const std::uint32_t* from, float* to) {
  product<false>(from, to);
}

/// 160 sums that are all needed to the end, in the 64 registers that a block of 1024 threads leaves each.
__global__ void __launch_bounds__(1024) spilling_kernel(const float* from, float* to, int count) {
  float sums[160];
#pragma unroll
  for (int i = 0; i < 160; ++i) sums[i] = from[i * 1024 + threadIdx.x];
  for (int step = 0; step < count; ++step)
#pragma unroll
    for (int i = 0; i < 160; ++i) sums[i] = fmaf(sums[i], sums[(i + 7) % 160], from[step]);
#pragma unroll
  for (int i = 0; i < 160; ++i) to[i * 1024 + threadIdx.x] = sums[i];
}

__global__ void narrow_kernel(const float* from, float* to, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 1024) to[i] = from[i];
}

/// A loop that the compiler unrolls as a whole.
__global__ void vanished_kernel(float* to) {
  float sum = 0;
  for (int step = 0; step < steps; ++step) sum = fmaf(sum, 0.5F, 1.0F);
  if (threadIdx.x > 2048) to[0] = sum;
}

/// Four wgmma that add to the same sums. Serial: another instruction writes the sums between them, so that
/// the compiler waits for each one alone; no wgmma is lost by it.
template <bool Serial>
__device__ __forceinline__ void group_product(float* to, std::uint64_t a, std::uint64_t b, int count) {
  float c[4] = {};
#pragma unroll 1
  for (int step = 0; step < count; ++step) {
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
          : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
          : "l"(a), "l"(b));
      if (Serial) c[0] *= 0.5F;
    }
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])::"memory");
  }
  to[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__global__ void __launch_bounds__(128)
    together_kernel(float* to, std::uint64_t a, std::uint64_t b, int count) {
  group_product<false>(to, a, b, count);
}

__global__ void __launch_bounds__(128) serial_kernel(float* to, std::uint64_t a, std::uint64_t b, int count) {
  group_product<true>(to, a, b, count);
}

/// What a guard leaves that is false where it should be true, as GPUGAUGE_HAS_WGMMA guards the products by wgmma: a
/// kernel that compiles, and traps.
#define GPUGAUGE_PLANTED_HAS_WGMMA 0
__global__ void __launch_bounds__(128)
    without_wgmma_kernel(float* to, std::uint64_t a, std::uint64_t b, int count) {
#if GPUGAUGE_PLANTED_HAS_WGMMA
  group_product<false>(to, a, b, count);
#else
  __trap();
#endif
}

__global__ void undeclared_kernel(float* to) {
  to[threadIdx.x] = 1;
}

}  // namespace gpugauge::kernels::planted
