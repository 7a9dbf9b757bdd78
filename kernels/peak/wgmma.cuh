// The device code of wgmma.hpp.
#pragma once

#include "kernels/peak/mma.cuh"
#include "kernels/peak/wgmma.hpp"
#include "kernels/support/bulk.cuh"

namespace gpugauge::kernels::peak {

// wgmma exists only in the architecture-specific target sm_90a.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define GPUGAUGE_HAS_WGMMA 1
#else
#define GPUGAUGE_HAS_WGMMA 0
#endif

#if GPUGAUGE_HAS_WGMMA

// Operands lie in shared memory in rows of 32 bytes along k, as core matrices of 8 rows x 16 bytes, each 128
// consecutive bytes. The two core matrices of a row are adjacent, and groups of 8 rows follow each other.
constexpr int core_bytes = 128;
constexpr int group_bytes = 2 * core_bytes;
constexpr int row_bytes = 32;

constexpr __device__ int place(int row, int byte) {
  return row / 8 * group_bytes + byte / 16 * core_bytes + row % 8 * 16 + byte % 16;
}

/// The matrix descriptor of an operand without swizzle (PTX ISA, "Matrix descriptor format" of wgmma). It has
/// the start address and the distances of core matrices along k and of groups of 8 rows, in units of 16
/// bytes.
__device__ __forceinline__ std::uint64_t descriptor(const void* shared) {
  const auto encode_bytes = [](std::uint64_t bytes) { return (bytes & 0x3ffffU) >> 4; };
  return encode_bytes(__cvta_generic_to_shared(shared)) | encode_bytes(core_bytes) << 16 |
         encode_bytes(group_bytes) << 32;
}

// Makes registers written by other instructions visible to the following wgmma.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}
__device__ __forceinline__ void wgmma_wait_all() {
  asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
}

// clang-format off
#define GPUGAUGE_128_NAMES \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define GPUGAUGE_128(constraint) \
      constraint(c[0]), constraint(c[1]), constraint(c[2]), constraint(c[3]), constraint(c[4]), constraint(c[5]), constraint(c[6]), constraint(c[7]), \
      constraint(c[8]), constraint(c[9]), constraint(c[10]), constraint(c[11]), constraint(c[12]), constraint(c[13]), constraint(c[14]), constraint(c[15]), \
      constraint(c[16]), constraint(c[17]), constraint(c[18]), constraint(c[19]), constraint(c[20]), constraint(c[21]), constraint(c[22]), constraint(c[23]), \
      constraint(c[24]), constraint(c[25]), constraint(c[26]), constraint(c[27]), constraint(c[28]), constraint(c[29]), constraint(c[30]), constraint(c[31]), \
      constraint(c[32]), constraint(c[33]), constraint(c[34]), constraint(c[35]), constraint(c[36]), constraint(c[37]), constraint(c[38]), constraint(c[39]), \
      constraint(c[40]), constraint(c[41]), constraint(c[42]), constraint(c[43]), constraint(c[44]), constraint(c[45]), constraint(c[46]), constraint(c[47]), \
      constraint(c[48]), constraint(c[49]), constraint(c[50]), constraint(c[51]), constraint(c[52]), constraint(c[53]), constraint(c[54]), constraint(c[55]), \
      constraint(c[56]), constraint(c[57]), constraint(c[58]), constraint(c[59]), constraint(c[60]), constraint(c[61]), constraint(c[62]), constraint(c[63]), \
      constraint(c[64]), constraint(c[65]), constraint(c[66]), constraint(c[67]), constraint(c[68]), constraint(c[69]), constraint(c[70]), constraint(c[71]), \
      constraint(c[72]), constraint(c[73]), constraint(c[74]), constraint(c[75]), constraint(c[76]), constraint(c[77]), constraint(c[78]), constraint(c[79]), \
      constraint(c[80]), constraint(c[81]), constraint(c[82]), constraint(c[83]), constraint(c[84]), constraint(c[85]), constraint(c[86]), constraint(c[87]), \
      constraint(c[88]), constraint(c[89]), constraint(c[90]), constraint(c[91]), constraint(c[92]), constraint(c[93]), constraint(c[94]), constraint(c[95]), \
      constraint(c[96]), constraint(c[97]), constraint(c[98]), constraint(c[99]), constraint(c[100]), constraint(c[101]), constraint(c[102]), constraint(c[103]), \
      constraint(c[104]), constraint(c[105]), constraint(c[106]), constraint(c[107]), constraint(c[108]), constraint(c[109]), constraint(c[110]), constraint(c[111]), \
      constraint(c[112]), constraint(c[113]), constraint(c[114]), constraint(c[115]), constraint(c[116]), constraint(c[117]), constraint(c[118]), constraint(c[119]), \
      constraint(c[120]), constraint(c[121]), constraint(c[122]), constraint(c[123]), constraint(c[124]), constraint(c[125]), constraint(c[126]), constraint(c[127])
#define GPUGAUGE_FLOAT(value) "+f"(value)
#define GPUGAUGE_INT(value) "+r"(value)
// c += a b; the sum's registers are in flight until wgmma_wait_all.
#define GPUGAUGE_WGMMA(instruction, tail, constraint)                                          \
  asm volatile("wgmma.mma_async.sync.aligned." instruction " {" GPUGAUGE_128_NAMES "}, %128, %129, " tail ";\n" \
               : GPUGAUGE_128(constraint)                                                      \
               : "l"(a), "l"(b))
// clang-format on

// After the descriptors come scale-d (add to the sum), the signs of A and B, and for 16-bit types whether
// they are transposed.
template <Element Type>
__device__ __forceinline__ void multiply_group(float (&c)[128], std::uint64_t a, std::uint64_t b) {
  if constexpr (Type == Element::bf16)
    GPUGAUGE_WGMMA("m64n256k16.f32.bf16.bf16", "1, 1, 1, 0, 0", GPUGAUGE_FLOAT);
  if constexpr (Type == Element::fp16)
    GPUGAUGE_WGMMA("m64n256k16.f32.f16.f16", "1, 1, 1, 0, 0", GPUGAUGE_FLOAT);
  if constexpr (Type == Element::tf32) GPUGAUGE_WGMMA("m64n256k8.f32.tf32.tf32", "1, 1, 1", GPUGAUGE_FLOAT);
  if constexpr (Type == Element::fp8_e4m3)
    GPUGAUGE_WGMMA("m64n256k32.f32.e4m3.e4m3", "1, 1, 1", GPUGAUGE_FLOAT);
}
template <Element Type>
__device__ __forceinline__ void multiply_group(int (&c)[128], std::uint64_t a, std::uint64_t b) {
  GPUGAUGE_WGMMA("m64n256k32.s32.s8.s8", "1", GPUGAUGE_INT);
}
/// Waits for all wgmma. The empty asm statements change the sums for the compiler, so that it cannot move
/// reads of them before the wait.
__device__ __forceinline__ void wgmma_wait_for(float (&c)[128]) {
  wgmma_wait_all();
#pragma unroll
  for (int i = 0; i < 128; ++i) asm volatile("" : GPUGAUGE_FLOAT(c[i])::"memory");
}
__device__ __forceinline__ void wgmma_wait_for(int (&c)[128]) {
  wgmma_wait_all();
#pragma unroll
  for (int i = 0; i < 128; ++i) asm volatile("" : GPUGAUGE_INT(c[i])::"memory");
}
#undef GPUGAUGE_WGMMA
#undef GPUGAUGE_INT
#undef GPUGAUGE_FLOAT
#undef GPUGAUGE_128
#undef GPUGAUGE_128_NAMES

struct alignas(128) WgmmaOperands {
  unsigned char a[wgmma_rows * row_bytes];
  unsigned char b[2][wgmma_columns * row_bytes];
};

template <Element Type>
__device__ __forceinline__ void put(unsigned char* matrix, int row, int k, int value) {
  constexpr int bytes = element_bits(Type) / 8;
  const std::uint32_t bits = encode(Type, value);
#pragma unroll
  for (int i = 0; i < bytes; ++i)
    matrix[place(row, k * bytes + i)] = static_cast<unsigned char>(bits >> (8 * i));
}

template <Element Type>
__device__ __forceinline__ void make(WgmmaOperands& operands) {
  constexpr int depth = wgmma_depth(Type);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < wgmma_rows * depth; i += wgmma_threads)
    put<Type>(operands.a, i / depth, i % depth, element_a(Type, i / depth, i % depth));
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < 2 * wgmma_columns * depth; i += wgmma_threads) {
    const int second = i / (wgmma_columns * depth);
    const int column = i / depth % wgmma_columns;
    put<Type>(operands.b[second], column, i % depth, element_b(Type, i % depth, column, second != 0));
  }
  sm90::fence_for_asynchronous_reads();
  __syncthreads();
}

#endif

template <typename Type>
__global__ void __launch_bounds__(wgmma_threads, 1) wgmma_peak_kernel(std::uint32_t* words, int pairs) {
#if GPUGAUGE_HAS_WGMMA
  __shared__ WgmmaOperands operands;
  make<Type::element>(operands);
  const std::uint64_t a = descriptor(operands.a);
  const std::uint64_t b = descriptor(operands.b[0]);
  const std::uint64_t b_second = descriptor(operands.b[1]);
  typename Sum<Type::element>::type c[128];
  std::uint32_t word = 0;
#pragma unroll 1
  for (int round = 0; round < wgmma_rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 128; ++i) c[i] = 0;
#pragma unroll 1
    for (int pair = 0; pair < pairs; pair += wgmma_unroll) {
      wgmma_fence();
#pragma unroll
      for (int u = 0; u < wgmma_unroll; ++u) {
        multiply_group<Type::element>(c, a, b);
        multiply_group<Type::element>(c, a, b_second);
      }
      wgmma_commit();
      wgmma_wait_for(c);
    }
    wgmma_fence();
    multiply_group<Type::element>(c, a, b);
    wgmma_commit();
    wgmma_wait_for(c);
#pragma unroll
    for (int i = 0; i < 128; ++i) word = fold(word, bits_of_sum(c[i]));
  }
  write_word(words, word);
#elif defined(__CUDA_ARCH__)
  __trap();  // 9.0 without its architecture-specific instructions
#endif
}

}  // namespace gpugauge::kernels::peak
