// How wrong a library's product may be: what work.hpp derives, for the types that only libraries compute.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gemm/work.hpp"

namespace gpugauge::kernels::gemm {

// All are relative to |a_i| |b_j|, as in work.hpp; k is the number of products in a sum.

/// Rounding to nearest in fp64, in whatever order; the reference has the same error.
constexpr double tolerance_fp64() {
  return 2 * 16 * 0x1p-53;
}

/// Inputs rounded or cut to tf32 (11 significant bits) are off by less than 2^-10 each, the product by less
/// than 2^-9, with signs that do not depend on the product's: a standard deviation below 2^-9 |a_i| |b_j| /
/// sqrt(k). Eight of them, and the sums in fp32 on Tensor Cores.
inline double tolerance_tf32(std::int64_t k) {
  return 8 * 0x1p-9 / std::sqrt(static_cast<double>(k)) + tolerance_bf16_mma(k);
}

/// fp8 on Tensor Cores of compute capability 8.9 and 9.0: products are aligned to the largest of a group and
/// what lies 13 bits below it is cut (DeepSeek-V3 Technical Report, section 3.3.2, reports about 14 bits
/// kept). Groups of 32 products: k/32 errors below 2^-13 |partial sum|, all toward zero; with |partial sum|
/// below 8 |a_i| |b_j| / sqrt(k) the error stays below 2^-15 sqrt(k). Kernels that add partial sums in fp32
/// every few groups are far below it.
inline double tolerance_fp8(std::int64_t k) {
  return 0x1p-15 * std::sqrt(static_cast<double>(k));
}

/// Fewest products in a sum of fp8 by whose error the two ways of accumulating are told apart.
inline constexpr std::int64_t fp8_tells_from = 1024;

/// The largest error of the rows that are checked, from fp8_tells_from on: below it sums of fp8 were added in
/// fp32 every few steps, above it they stayed as the Tensor Core of 8.9 or 9.0 makes them.
///
/// In one long sum what is cut grows with the sum so far, as work.hpp derives: f sqrt(k). In stretches of 128
/// products, added in fp32, the largest addend stays below what 128 products are, some 10 |a_i| |b_j| / k;
/// what k products lose of that, of either sign, is p / sqrt(k). The geometric mean sqrt(f p) lies between
/// the two for every k above p / f, and is the same for all. An H100 gives f = 2.6e-6 (2.32e-4 by cuBLASLt's
/// fast accumulation and by wgmma, k = 8192; 1.48e-4 at 4096) and p = 3.8e-4 (4.18e-6 by cuBLASLt without it,
/// 8192). The same sums on the host, of 64 rows of squares from 1024 to 8192 with A of e4m3 and e5m2: f from
/// 1.2e-6 to 3.0e-6, p up to 5.0e-4. At the smallest k of 1024, where they are nearest, that is 3.9e-5 or
/// more beside 1.6e-5 or less: 2.5e-5 lies between; below, one runs into the other.
constexpr double fp8_longest_stretches() {
  return 2.5e-5;
}

}  // namespace gpugauge::kernels::gemm
