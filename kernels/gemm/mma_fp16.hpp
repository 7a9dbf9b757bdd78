// C = A B in fp16 with fp32 accumulation on Tensor Cores by mma.sync, the warp-level instruction of sm_80 and
// later.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels::gemm {

/// C[m,n] = A[m,k] B[k,n], all row-major and dense. cudaErrorInvalidValue unless m >= 1, n and k are
/// multiples of 8 and >= 8, and pointers are 16-byte aligned. cudaErrorNotSupported below compute capability
/// 8.0. Deterministic: the order of additions depends only on the sizes. Work: gemm::flops(m, n, k).
cudaError_t mma_fp16(const Fp16* a, const Fp16* b, Fp16* c, int m, int n, int k, cudaStream_t stream);
cudaError_t mma_fp16(const Fp16* a, const Fp16* b, float* c, int m, int n, int k, cudaStream_t stream);

}  // namespace gpugauge::kernels::gemm
