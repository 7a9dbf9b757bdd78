// wgmma: the matrix multiplication of a warpgroup (four warps) on Hopper's Tensor Cores, with operands in
// shared memory and sums in registers. It is asynchronous: do not touch sums or operands before wgmma_wait.
// Compute capability 9.0 only (sm_90a).
#pragma once

#include <cstdint>

#include "kernels/support/bf16.hpp"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels::sm90 {

/// Call it before the first wgmma, and whenever registers of the sums were touched since the last.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}

/// Closes the group of wgmma that this warp started since the last call.
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}

/// Waits until at most `Pending` groups are in flight. The operands of the others may then be overwritten.
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(Pending) : "memory");
}

/// Waits for all groups. The empty asm statements tell the compiler that the sums change here.
template <int Blocks, int Count>
__device__ __forceinline__ void wgmma_wait_for(float (&sums)[Blocks][Count]) {
  wgmma_wait<0>();
#pragma unroll
  for (int block = 0; block < Blocks; ++block)
#pragma unroll
    for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(sums[block][i])::"memory");
}

// The accumulator registers of the instructions below, as text and as operands.
// clang-format off
#define GPUGAUGE_NAMES_0 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15" ", " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define GPUGAUGE_NAMES_32 \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" ", " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define GPUGAUGE_NAMES_64 \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" ", " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define GPUGAUGE_NAMES_96 \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" ", " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define GPUGAUGE_SUMS_4(d, i) "+f"((d)[i]), "+f"((d)[(i) + 1]), "+f"((d)[(i) + 2]), "+f"((d)[(i) + 3])
#define GPUGAUGE_SUMS_16(d, i) \
  GPUGAUGE_SUMS_4(d, i), GPUGAUGE_SUMS_4(d, (i) + 4), GPUGAUGE_SUMS_4(d, (i) + 8), GPUGAUGE_SUMS_4(d, (i) + 12)
#define GPUGAUGE_SUMS_32(d, i) GPUGAUGE_SUMS_16(d, i), GPUGAUGE_SUMS_16(d, (i) + 16)
#define GPUGAUGE_SUMS_64(d, i) GPUGAUGE_SUMS_32(d, i), GPUGAUGE_SUMS_32(d, (i) + 32)
#define GPUGAUGE_SUMS_128(d, i) GPUGAUGE_SUMS_64(d, i), GPUGAUGE_SUMS_64(d, (i) + 64)

// The predicate selects d = a b (false) or d = a b + d (true). `A`, `B`, `ADD`: the numbers of the operands
// after the sums. `FLAGS`: the signs of a and b, and for 16-bit types whether each is transposed.
#define GPUGAUGE_WGMMA(SHAPE, NAMES, A, B, ADD, FLAGS, ...)                             \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" ADD ", 0;\n"                    \
               "wgmma.mma_async.sync.aligned." SHAPE " {" NAMES "}, %" A ", %" B ", add, " \
               FLAGS ";\n}\n"                                                            \
               : __VA_ARGS__ : "l"(a), "l"(b), "r"(static_cast<std::uint32_t>(add)))
// clang-format on

/// d = a b, or d += a b when `add`. d is 64 x N in fp32 (layout.hpp defines which thread holds which
/// element), a is 64 x K and K-major, b is K x N, where K is 32 bytes. Both are passed as descriptors
/// (layout.hpp).
template <typename In, int N>
struct Wgmma;

template <>
struct Wgmma<Bf16, 64> {
  static __device__ __forceinline__ void run(float (&d)[32], std::uint64_t a, std::uint64_t b, bool add) {
    GPUGAUGE_WGMMA("m64n64k16.f32.bf16.bf16", GPUGAUGE_NAMES_0, "32", "33", "34", "1, 1, 0, 1",
                   GPUGAUGE_SUMS_32(d, 0));
  }
};

template <>
struct Wgmma<Bf16, 128> {
  static __device__ __forceinline__ void run(float (&d)[64], std::uint64_t a, std::uint64_t b, bool add) {
    GPUGAUGE_WGMMA("m64n128k16.f32.bf16.bf16", GPUGAUGE_NAMES_0 ", " GPUGAUGE_NAMES_32, "64", "65", "66",
                   "1, 1, 0, 1", GPUGAUGE_SUMS_64(d, 0));
  }
};

template <>
struct Wgmma<Bf16, 256> {
  static __device__ __forceinline__ void run(float (&d)[128], std::uint64_t a, std::uint64_t b, bool add) {
    GPUGAUGE_WGMMA("m64n256k16.f32.bf16.bf16",
                   GPUGAUGE_NAMES_0 ", " GPUGAUGE_NAMES_32 ", " GPUGAUGE_NAMES_64 ", " GPUGAUGE_NAMES_96,
                   "128", "129", "130", "1, 1, 0, 1", GPUGAUGE_SUMS_128(d, 0));
  }
};

template <>
struct Wgmma<E4m3, 256> {
  static __device__ __forceinline__ void run(float (&d)[128], std::uint64_t a, std::uint64_t b, bool add) {
    GPUGAUGE_WGMMA("m64n256k32.f32.e4m3.e4m3",
                   GPUGAUGE_NAMES_0 ", " GPUGAUGE_NAMES_32 ", " GPUGAUGE_NAMES_64 ", " GPUGAUGE_NAMES_96,
                   "128", "129", "130", "1, 1", GPUGAUGE_SUMS_128(d, 0));
  }
};

#undef GPUGAUGE_WGMMA
#undef GPUGAUGE_SUMS_128
#undef GPUGAUGE_SUMS_64
#undef GPUGAUGE_SUMS_32
#undef GPUGAUGE_SUMS_16
#undef GPUGAUGE_SUMS_4
#undef GPUGAUGE_NAMES_0
#undef GPUGAUGE_NAMES_32
#undef GPUGAUGE_NAMES_64
#undef GPUGAUGE_NAMES_96

}  // namespace gpugauge::kernels::sm90
