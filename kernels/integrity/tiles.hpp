// A matrix product that reports a checksum and the SM for every tile of its result, to find an SM that
// computes wrongly. It is slow on purpose: operands come straight from the caches.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/bf16.hpp"

namespace gpugauge::kernels::integrity {

/// Rows and columns of a tile.
inline constexpr int tile_edge = 64;

/// C[m,n] = A[m,k] B[k,n] on Tensor Cores with fp32 sums; A and C are row-major, bt is B by columns (row j of
/// bt is column j of B). cudaErrorInvalidValue unless m and n are multiples of 64 and k of 16, all above 0,
/// and pointers are 4-byte aligned. cudaErrorNotSupported below compute capability 8.0. Deterministic. Tile t
/// covers the 64 rows from 64 (t / (n/64)) and the 64 columns from 64 (t mod (n/64)). sums[t] is the checksum
/// of uniform.hpp over its words of C, with the words' indices in C. sms[t] is the number of the SM that made
/// it. Work: gemm::flops(m, n, k).
cudaError_t multiply_tiles(const Bf16* a, const Bf16* bt, float* c, int m, int n, int k,
                           unsigned long long* sums, std::uint32_t* sms, cudaStream_t stream);

/// bt = the k x n matrix of uniform_bf16(seed, i n + j), by columns, as multiply_tiles takes B.
cudaError_t fill_by_columns(Bf16* bt, int k, int n, std::uint64_t seed, cudaStream_t stream);

}  // namespace gpugauge::kernels::integrity
