// C = A B on Hopper's Tensor Cores by wgmma with operands loaded by TMA: the best variant for bf16 and fp8,
// and the steps that lead to it for bf16.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/support/bf16.hpp"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels::gemm {

// All: C[m,n] = A[m,k] B[k,n] with sums in fp32 and a bf16 result, row-major and dense. cudaErrorInvalidValue
// unless 1 <= m, n, k <= 2^30, n is a multiple of 8, rows of A and B are multiples of 16 bytes, and pointers
// are 16-byte aligned. cudaErrorNoKernelImageForDevice on anything but compute capability 9.0.
// cudaErrorSymbolNotFound when the driver cannot describe matrices to TMA. Deterministic: the order of
// additions depends only on k. Work: gemm::flops(m, n, k).

/// 128x256 tiles, persistent blocks, one producer and two consumer warpgroups, clusters of two blocks that
/// share B. The Tensor Cores work on the next tile while the last one is stored. Uses programmatic dependent
/// launch: its blocks may start before the preceding kernel in the stream ends, but touch no matrix until it
/// has ended.
cudaError_t wgmma(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);

/// The fp8 variant; `b` is the transpose of B, n x k. The Tensor Core keeps fewer bits of fp8 sums than fp32
/// holds: see tolerance_fp8_wgmma.
cudaError_t wgmma(const E4m3* a, const E4m3* b, Bf16* c, int m, int n, int k, cudaStream_t stream);

// The ladder: each step extends the one before. Configurations: wgmma_configs.hpp.

/// One warpgroup copies a 64x64 tile, waits and multiplies; no copy runs ahead.
cudaError_t wgmma_tile_64(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// As wgmma_tile_64 with 128x128 tiles: half the bytes per product.
cudaError_t wgmma_tile_128(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// A producer copies up to five stages ahead of one consumer warpgroup.
cudaError_t wgmma_ring(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// As wgmma_ring with 128x256 tiles: one warpgroup has fewer registers than sums, and spills them.
cudaError_t wgmma_ring_wide(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// 128x256 tiles by two consumer warpgroups that take over the producer's registers.
cudaError_t wgmma_two_consumers(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k,
                                cudaStream_t stream);
/// Persistent: one block per SM takes all tiles, row after row.
cudaError_t wgmma_persistent_rows(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k,
                                  cudaStream_t stream);
/// Tiles are taken in bands, so that those made at the same time read fewer rows of A and columns of B.
cudaError_t wgmma_persistent(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// Clusters of two blocks load B once for both.
cudaError_t wgmma_cluster(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// C is stored through shared memory by TMA.
cudaError_t wgmma_tma_store(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);
/// A tile is stored while the next one is multiplied. wgmma() adds only programmatic dependent launch.
cudaError_t wgmma_overlap(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream);

}  // namespace gpugauge::kernels::gemm
