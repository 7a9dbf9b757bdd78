// C = A B on Hopper's Tensor Cores by wgmma, operands brought by TMA: the best variant for bf16 and fp8, and
// the steps that lead to it for bf16.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/support/bf16.hpp"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels::gemm {

// All: C[m,n] = A[m,k] B[k,n] with sums in fp32 and a bf16 result, row-major and dense; 1 <= m, n, k <= 2^30;
// n a multiple of 8; rows of A and B multiples of 16 bytes; pointers 16-byte aligned: else
// cudaErrorInvalidValue. cudaErrorNoKernelImageForDevice on anything but compute capability 9.0,
// cudaErrorSymbolNotFound when the driver cannot describe matrices to TMA. Deterministic: the order of
// additions depends on k only. Work: gemm::flops(m, n, k).

/// 128x256 tiles, persistent, one producer and two multiplying warpgroups, clusters of two that share B; the
/// Tensor Cores are at work on the next tile while one leaves. Launched programmatically: its blocks may
/// start while the kernel ahead in the stream ends, and touch no matrix before that has ended.
cudaError_t wgmma(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);

/// The same for fp8; `b` is the transpose of B, n x k. The Tensor Core keeps fewer bits of fp8 sums than fp32
/// holds: see tolerance_fp8_wgmma.
cudaError_t wgmma(const E4m3* a, const E4m3* b, Bf16* c, int m, int n, int k, cudaStream_t stream);

// The ladder, each step adding to the one before. Configurations: wgmma_configs.hpp.

/// A warpgroup copies a tile of 64x64, waits, multiplies; no copy runs ahead.
cudaError_t wgmma_tile_64(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// The same with tiles of 128x128: half the bytes for each product.
cudaError_t wgmma_tile_128(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// A producer copies up to five stages ahead of one multiplying warpgroup.
cudaError_t wgmma_ring(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// 128x256 tiles by two warpgroups that take the producer's registers.
cudaError_t wgmma_two_consumers(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k,
                                cudaStream_t stream);
/// A block an SM for all tiles, in an order that shares L2.
cudaError_t wgmma_persistent(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// Clusters of two blocks read B once for both.
cudaError_t wgmma_cluster(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// C leaves through shared memory by TMA.
cudaError_t wgmma_tma_store(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// A tile leaves while the next one is multiplied. wgmma() only adds the programmatic launch.
cudaError_t wgmma_overlap(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);

}  // namespace gpugauge::kernels::gemm
