// One row of attention in fp64, on host or device.
#pragma once

#include <cmath>
#include <cstddef>

#include "kernels/primitive/attention.hpp"

namespace gpugauge::kernels::primitive {

/// Scaled score of key `key` for query row `row` of the head that begins at q and k.
GPUGAUGE_HOST_DEVICE inline double attention_score(const Bf16* q, const Bf16* k, int head_dim, int row,
                                                   int key) {
  const Bf16* const a = q + static_cast<std::size_t>(row) * head_dim;
  const Bf16* const b = k + static_cast<std::size_t>(key) * head_dim;
  double sum = 0;
  for (int d = 0; d < head_dim; ++d)
    sum += static_cast<double>(to_float(a[d])) * static_cast<double>(to_float(b[d]));
  return sum / sqrt(static_cast<double>(head_dim));
}

/// Error of one output element as attention.hpp measures it; infinity for NaN.
GPUGAUGE_HOST_DEVICE inline double attention_element_error(double found, double expected,
                                                           double sum_of_squares) {
  const double error = (fabs(found - expected) - 0x1p-8 * fabs(expected)) / sqrt(sum_of_squares);
  if (!(error == error)) return INFINITY;
  return error > 0 ? error : 0;
}

}  // namespace gpugauge::kernels::primitive
