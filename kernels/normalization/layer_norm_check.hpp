// Checks a layer normalisation: sampled rows against fp64.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/comparison.hpp"
#include "kernels/support/element.hpp"

namespace gpugauge::kernels::normalization {

/// y = (x - mean) / sqrt(variance + epsilon) scale + bias for each of `rows` rows of `columns`, row-major. x
/// and y have one type; scale and bias are fp32, one value per column. The variance is that of the row itself
/// (divided by columns).
struct LayerNorm {
  /// Type of x and y.
  Element type = Element::bf16;
  const void* x = nullptr;       ///< device, [rows, columns]
  const void* y = nullptr;       ///< device, the result, [rows, columns]
  const float* scale = nullptr;  ///< device, [columns]
  const float* bias = nullptr;   ///< device, [columns]
  std::int64_t rows = 0;         ///< >= 1
  std::int64_t columns = 0;      ///< >= 1
  /// Added to the variance, > 0.
  double epsilon = 1e-5;
};

/// Largest error of fp32 arithmetic in the scale of layer_norm_error. Mean and variance are fp32 sums of some
/// thousand values, far below 2^-16 in any order. A wrong row is off by about 1.
constexpr double layer_norm_tolerance() {
  return 0x1p-16;
}

/// *comparison (device): the largest |y - reference| / ((1 + |normalised x|) |scale| + |bias|), less the
/// rounding of y's type. It covers `samples` rows and all columns; infinity for NaN. One block per row.
/// @pre 1 <= samples <= rows: else cudaErrorInvalidValue
cudaError_t layer_norm_error(const LayerNorm& of, std::int64_t samples, std::uint64_t seed,
                             Comparison* comparison, cudaStream_t stream);

}  // namespace gpugauge::kernels::normalization
