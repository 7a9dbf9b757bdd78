// The work of a matrix product C[m,n] = A[m,k] B[k,n], and its tolerances.
#pragma once

#include <cmath>
#include <cstdint>

namespace gpugauge::kernels::gemm {

/// Floating-point operations: one multiplication and one addition per product, m n k products.
constexpr double flops(std::int64_t m, std::int64_t n, std::int64_t k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

/// Least bytes moved: both inputs once, the output once.
constexpr double bytes(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t input_bytes,
                       std::int64_t output_bytes) {
  const auto inputs =
      static_cast<double>(m) * static_cast<double>(k) + static_cast<double>(k) * static_cast<double>(n);
  return static_cast<double>(input_bytes) * inputs +
         static_cast<double>(output_bytes) * static_cast<double>(m) * static_cast<double>(n);
}

// Errors are |c - reference| / (|a_i| |b_j|), with Euclidean norms of row i of A and column j of B, and the
// reference summed in fp64. The inputs are independent with mean zero. So a partial sum after t of k products
// is a random walk within a few times |a_i| |b_j| sqrt(t) / k.
//
// Rounding to nearest (fp32 FMA, unit roundoff 2^-24) makes k errors of at most 2^-24 |partial sum|, of
// either sign. They add to a standard deviation of 2^-24 |a_i| |b_j| / sqrt(6) on average over elements. The
// rigorous bound, k 2^-24 sum |a||b|, is thousands of times larger (Higham, Accuracy and Stability of
// Numerical Algorithms, section 3.1). It would pass a product silently computed in tf32. 16 is about 40
// standard deviations. Inputs rounded to tf32 give a standard deviation near 2^-12 / sqrt(k), which is above
// it for k below 60,000.
constexpr double tolerance_fp32_fma() {
  return 16 * 0x1p-24;
}

// Tensor Cores multiply bf16 exactly and add groups of at least 8 products into an fp32 accumulator. They
// truncate instead of rounding (Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor
// cores", PeerJ Computer Science 2021). That makes k/8 errors below 2^-22 |partial sum|, all toward zero, so
// they add up. With |partial sum| below 8 |a_i| |b_j| / sqrt(k), the error stays below 2^-22 sqrt(k) |a_i|
// |b_j|. Losing one product costs about 1/k of |a_i| |b_j|, which is above it up to k of about 20,000. Losing
// a whole step of 16 is always above it. The same holds for fp16. Its products have 22 bits and are also
// truncated when aligned, but these errors have either sign and add less.
inline double tolerance_bf16_mma(std::int64_t k) {
  return 0x1p-22 * std::sqrt(static_cast<double>(k));
}

// Hopper's Tensor Cores add the 32 fp8 products of a step and the sum so far with about 14 bits. All are
// aligned to the largest and truncated 13 bits below its leading bit, although the accumulator is an fp32
// register (DeepSeek-AI, "DeepSeek-V3 technical report", 2024, section 3.3.2). Kernels that need more
// precision add the sums of short stretches of k in fp32; this one measures the instruction itself. There are
// two errors:
// - The sum so far loses up to 2^-13 of itself in every step, always toward zero, on average half of that. A
//   partial sum after t of k products is z |a_i| |b_j| sqrt(t) / k, with z normal. So k/32 steps add up to
//   z 2^-19.6 sqrt(k) |a_i| |b_j|.
// - Every product loses up to 2^-13 of the largest addend, of either sign, on average 0.58 of that. This adds
//   z' 0.58 2^-13 sqrt(k) times the largest addend. For small k this is a product (at most about
//   3 |a_i| |b_j| / k for uniform inputs), otherwise the partial sum.
// The tolerance allows z and z' up to 5, and doubles that for the largest of 10^7 elements.
inline double tolerance_fp8_wgmma(std::int64_t k) {
  const double root = std::sqrt(static_cast<double>(k));
  return 0x1p-16 * root + 0x1p-11 + 0x1p-8 / root;
}

}  // namespace gpugauge::kernels::gemm
