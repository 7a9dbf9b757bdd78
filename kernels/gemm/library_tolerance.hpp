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

}  // namespace gpugauge::kernels::gemm
