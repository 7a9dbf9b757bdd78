// The PTX instructions that the matrix products use, one function each. sm_80 and later.
#pragma once

#include <cstdint>

namespace gpugauge::kernels::ptx {

/// Shared-memory address as the 32-bit number that the instructions below take.
__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Start of the launch's dynamic shared memory: a multiple of 256.
__device__ __forceinline__ std::uint32_t dynamic_shared() {
  extern __shared__ __align__(256) unsigned char dynamic_shared_memory[];
  return shared_address(dynamic_shared_memory);
}

/// Starts copying 16 bytes from global to shared memory, past L1. When `valid` is false it writes zeros and
/// reads nothing, but `from` must still be a legal address. Both addresses are 16-byte aligned.
__device__ __forceinline__ void copy_async_16(std::uint32_t to, const void* from, bool valid) {
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to),
               "l"(__cvta_generic_to_global(from)), "r"(bytes)
               : "memory");
}

/// Closes the group of copies that this thread started since the last call.
__device__ __forceinline__ void copy_async_commit() {
  asm volatile("cp.async.commit_group;\n" ::: "memory");
}

/// Waits until at most `Pending` of this thread's groups are in flight. Other threads' copies are visible
/// only after a barrier.
template <int Pending>
__device__ __forceinline__ void copy_async_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(Pending) : "memory");
}

/// Loads four 8x8 matrices of 16-bit elements. Lane l passes the address of row l%8 of matrix l/8. It
/// receives elements 2(l%4) and 2(l%4)+1 of row l/4 of each matrix.
__device__ __forceinline__ void load_matrices(std::uint32_t (&to)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}

/// load_matrices with each matrix transposed: the lane receives elements 2(l%4) and 2(l%4)+1 of column l/4.
__device__ __forceinline__ void load_matrices_transposed(std::uint32_t (&to)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}

/// c += a b on Tensor Cores: a 16x16 by rows, b 16x8 by columns, c 16x8 in fp32, a and b in bf16. With g =
/// lane/4 and q = lane%4: a = {(g, 2q), (g+8, 2q), (g, 2q+8), (g+8, 2q+8)}, pairs along k; b = {(2q, g),
/// (2q+8, g)}, pairs along k; c = {(g, 2q), (g, 2q+1), (g+8, 2q), (g+8, 2q+1)}.
__device__ __forceinline__ void mma_bf16_16x8x16(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                                 std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// mma_bf16_16x8x16 in fp16.
__device__ __forceinline__ void mma_fp16_16x8x16(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                                 std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Two floats rounded to bf16, the first in the lower half.
__device__ __forceinline__ std::uint32_t pack_bf16(float first, float second) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;\n" : "=r"(packed) : "f"(second), "f"(first));
  return packed;
}

/// Two floats rounded to fp16, the first in the lower half.
__device__ __forceinline__ std::uint32_t pack_fp16(float first, float second) {
  std::uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;\n" : "=r"(packed) : "f"(second), "f"(first));
  return packed;
}

}  // namespace gpugauge::kernels::ptx
