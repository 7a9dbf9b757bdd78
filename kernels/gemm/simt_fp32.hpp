// C = A B in fp32 on the CUDA cores, without Tensor Cores.
#pragma once

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::gemm {

/// C[m,n] = A[m,k] B[k,n], all row-major and dense (leading dimension = number of columns), any sizes >= 1.
/// Loads are 16 bytes wide when k and n are multiples of 4 and the pointers 16-byte aligned; otherwise 4
/// bytes. Deterministic: every element is one chain of fp32 FMAs along k. cudaErrorInvalidValue for a size
/// below 1. Work: gemm::flops(m, n, k).
cudaError_t simt_fp32(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream);

}  // namespace gpugauge::kernels::gemm
