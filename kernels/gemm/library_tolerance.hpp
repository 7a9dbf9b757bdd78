// Tolerances of library products: the derivations of work.hpp, for types that only libraries compute.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gemm/work.hpp"

namespace gpugauge::kernels::gemm {

// All are relative to |a_i| |b_j|, as in work.hpp; k is the number of products in a sum.

/// Rounding to nearest in fp64, in any order of summation; the reference has the same error.
constexpr double tolerance_fp64() {
  return 2 * 16 * 0x1p-53;
}

/// Inputs rounded or truncated to tf32 (11 significant bits) are off by less than 2^-10 each, and the product
/// by less than 2^-9. The signs do not depend on the product's sign. That is a standard deviation below 2^-9
/// |a_i| |b_j| / sqrt(k). The tolerance is eight of them, plus that of fp32 sums on Tensor Cores.
inline double tolerance_tf32(std::int64_t k) {
  return 8 * 0x1p-9 / std::sqrt(static_cast<double>(k)) + tolerance_bf16_mma(k);
}

/// Tells the arithmetic of sums of products of fp32 inputs from their error. tf32 rounds the inputs, which
/// leaves an error larger than fp32 ever has.
constexpr const char* numerics_of(double error) {
  return error > tolerance_fp32_fma() ? "tf32" : "fp32";
}

/// fp8 on Tensor Cores of compute capability 8.9 and 9.0. Products are aligned to the largest of a group, and
/// bits more than 13 below it are truncated (DeepSeek-V3 Technical Report, section 3.3.2, reports about 14
/// bits kept). Groups of 32 products give k/32 errors below 2^-13 |partial sum|, all toward zero. With
/// |partial sum| below 8 |a_i| |b_j| / sqrt(k) the error stays below 2^-15 sqrt(k). Kernels that add partial
/// sums in fp32 every few groups are far below it.
inline double tolerance_fp8(std::int64_t k) {
  return 0x1p-15 * std::sqrt(static_cast<double>(k));
}

/// Fewest fp8 products in a sum whose error tells the two ways of accumulating apart.
inline constexpr std::int64_t fp8_tells_from = 1024;

/// Threshold on the largest error of the checked rows, from fp8_tells_from on. Below it, fp8 sums were added
/// in fp32 every few steps. Above it, they stayed in the precision of the Tensor Core of 8.9 or 9.0.
///
/// In one long sum the truncation grows with the sum so far, as work.hpp derives: f sqrt(k). In stretches of
/// 128 products, added in fp32, the largest addend stays below 128 products, about 10 |a_i| |b_j| / k. The
/// truncation of k products, of either sign, is then p / sqrt(k). The geometric mean sqrt(f p) lies between
/// the two for every k above p / f, and does not depend on k.
///
/// An H100 gives f = 2.6e-6 (2.32e-4 by cuBLASLt's fast accumulation and by wgmma, k = 8192; 1.48e-4 at 4096)
/// and p = 3.8e-4 (4.18e-6 by cuBLASLt without it, 8192). The same sums on the host give f from 1.2e-6 to
/// 3.0e-6 and p up to 5.0e-4. They used 64 rows of squares from 1024 to 8192 with A of e4m3 and e5m2. At the
/// smallest k of 1024, where the two are nearest, they are at least 3.9e-5 and at most 1.6e-5: 2.5e-5 lies
/// between. Below 1024 they overlap.
constexpr double fp8_longest_stretches() {
  return 2.5e-5;
}

}  // namespace gpugauge::kernels::gemm
