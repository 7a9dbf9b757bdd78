// Checks a product: sampled rows, all columns, against sums in fp64.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/bf16.hpp"
#include "kernels/support/comparison.hpp"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels::gemm {

/// *comparison (device): the largest |c - reference| / (|a_i| |b_j|) over the rows sampled_row(0..samples-1,
/// samples, m, seed) and all columns of C = A B, row-major and dense. Infinity when an element is NaN. An fp8
/// B is passed as its transpose, n x k. For a bf16 or fp16 C the rounding of the result is subtracted first
/// (work.hpp derives the tolerances). Slow and simple on purpose: fp64 and one thread per element.
/// @pre 1 <= samples <= m
cudaError_t sampled_error(const float* a, const float* b, const float* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream);
cudaError_t sampled_error(const Bf16* a, const Bf16* b, const float* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream);
cudaError_t sampled_error(const Bf16* a, const Bf16* b, const Bf16* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream);
cudaError_t sampled_error(const Fp16* a, const Fp16* b, const float* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream);
cudaError_t sampled_error(const Fp16* a, const Fp16* b, const Fp16* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream);
cudaError_t sampled_error(const E4m3* a, const E4m3* b, const Bf16* c, int m, int n, int k, int samples,
                          std::uint64_t seed, Comparison* comparison, cudaStream_t stream);

}  // namespace gpugauge::kernels::gemm
