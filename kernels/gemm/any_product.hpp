// Checks a product of any types and layouts: sampled rows, all columns, against sums in fp64.
#pragma once

#include <cmath>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/comparison.hpp"
#include "kernels/support/element.hpp"

namespace gpugauge::kernels::gemm {

/// A matrix in any layout: element (row, column) is number row * row_stride + column * column_stride of
/// `data`.
struct Matrix {
  /// A device or host pointer, as the reader needs.
  const void* data = nullptr;
  /// Type of each element.
  Element type = Element::fp32;
  /// Elements from one row to the next.
  std::int64_t row_stride = 0;
  /// Elements from one column to the next.
  std::int64_t column_stride = 1;

  /// One element; the indices must be in range.
  GPUGAUGE_HOST_DEVICE double at(std::int64_t row, std::int64_t column) const {
    return load(data, type, row * row_stride + column * column_stride);
  }
};

/// |c - reference| / (|a_row| |b_column|) of one element of C[m,n] = A[m,k] B[k,n], less the rounding of C's
/// type. Infinity when c is NaN. For int32 results, which are exact, |c - reference| itself.
GPUGAUGE_HOST_DEVICE inline double product_error(const Matrix& a, const Matrix& b, const Matrix& c,
                                                 std::int64_t row, std::int64_t column, std::int64_t k) {
  double reference = 0;
  double norm_a = 0;
  double norm_b = 0;
  for (std::int64_t i = 0; i < k; ++i) {
    const double from_a = a.at(row, i);
    const double from_b = b.at(i, column);
    reference += from_a * from_b;
    norm_a += from_a * from_a;
    norm_b += from_b * from_b;
  }
  const double scale = c.type == Element::int32 ? 1 : std::sqrt(norm_a) * std::sqrt(norm_b);
  return relative_error(c.at(row, column), reference, rounding_of(c.type), scale);
}

/// *comparison (device): the largest product_error over the rows sampled_row(0..samples-1, samples, m, seed)
/// of tiling.hpp and all columns. Slow and simple on purpose: fp64 and one thread per element.
/// @pre 1 <= samples <= m; n, k >= 1: else cudaErrorInvalidValue
cudaError_t sampled_product_error(const Matrix& a, const Matrix& b, const Matrix& c, int m, int n, int k,
                                  int samples, std::uint64_t seed, Comparison* comparison,
                                  cudaStream_t stream);

}  // namespace gpugauge::kernels::gemm
