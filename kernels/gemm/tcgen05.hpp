// C = A B on the Tensor Cores of compute capability 10.0, 10.3 and 11.0 by tcgen05 with operands loaded by TMA and
// sums in Tensor Memory. Checked by an emulator of the instructions; not run on such a GPU yet.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/support/bf16.hpp"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels::gemm {

/// C[m,n] = A[m,k] B[k,n] with sums in fp32 and a bf16 result, row-major and dense. 128x256 tiles, one persistent
/// block an SM, clusters of two blocks that share B: one thread copies up to four stages ahead, one starts the
/// products of both halves of Tensor Memory by turns, and four warps store the half that is done.
/// cudaErrorInvalidValue unless 1 <= m, n, k <= 2^30,
/// n is a multiple of 8, rows of A and B are multiples of 16 bytes, and pointers are 16-byte aligned.
/// cudaErrorNoKernelImageForDevice on another GPU, and where this build has no code for exactly this one.
/// cudaErrorSymbolNotFound when the driver cannot describe matrices to TMA. Deterministic: the order of additions
/// depends only on k. Work: gemm::flops(m, n, k).
cudaError_t tcgen05(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);

/// The fp8 variant; `b` is the transpose of B, n x k.
cudaError_t tcgen05(const E4m3* a, const E4m3* b, Bf16* c, int m, int n, int k, cudaStream_t stream);

/// The step before: blocks without clusters, each of which reads all its columns of B.
cudaError_t tcgen05_persistent(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k,
                               cudaStream_t stream);

}  // namespace gpugauge::kernels::gemm
