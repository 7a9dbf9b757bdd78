// The first steps of the fp32 ladder on the CUDA cores; simt_fp32.hpp is the last.
#pragma once

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::gemm {

// Both: C[m,n] = A[m,k] B[k,n], all row-major and dense. cudaErrorInvalidValue unless all sizes are >= 1.
// Deterministic: every element is one chain of fp32 FMAs along k. Work: gemm::flops(m, n, k).

/// One thread per element, from global memory: shows what caches alone give.
cudaError_t simt_naive(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream);

/// Tiles of 32x32 of A and B in shared memory; one thread per element.
cudaError_t simt_shared_tile(const float* a, const float* b, float* c, int m, int n, int k,
                             cudaStream_t stream);

}  // namespace gpugauge::kernels::gemm
