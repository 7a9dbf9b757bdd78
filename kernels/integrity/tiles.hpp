// A matrix product that says of every tile of its result what it is and which SM made it: for finding an SM
// that computes wrongly. Not fast on purpose: operands come straight from the caches.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/bf16.hpp"

namespace gpugauge::kernels::integrity {

/// Rows and columns of a tile.
inline constexpr int tile_edge = 64;

/// C[m,n] = A[m,k] B[k,n] on Tensor Cores with fp32 sums; A and C row-major, bt = B by columns (row j of bt
/// is column j of B). m and n multiples of 64, k of 16, all >= those; pointers 4-byte aligned: else
/// cudaErrorInvalidValue. cudaErrorNotSupported below compute capability 8.0. Deterministic. Tile t covers
/// the rows from 64 (t / (n/64)) and the columns from 64 (t mod (n/64)); sums[t] is the checksum of
/// uniform.hpp over its words of C, with the words' places in C; sms[t] the number of the SM that made it.
/// Work: gemm::flops(m, n, k).
cudaError_t multiply_tiles(const Bf16* a, const Bf16* bt, float* c, int m, int n, int k,
                           unsigned long long* sums, std::uint32_t* sms, cudaStream_t stream);

/// bt = the k x n matrix of uniform_bf16(seed, i n + j), by columns: what multiply_tiles takes for B.
cudaError_t fill_by_columns(Bf16* bt, int k, int n, std::uint64_t seed, cudaStream_t stream);

}  // namespace gpugauge::kernels::integrity
