// The error of one element of a product, shared by the check on the device and the tests on the host.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gemm/layout.hpp"
#include "kernels/gemm/work.hpp"
#include "kernels/support/bf16.hpp"
#include "kernels/support/host_device.hpp"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels::gemm {

GPUGAUGE_HOST_DEVICE inline float as_float(float value) {
  return value;
}
GPUGAUGE_HOST_DEVICE inline float as_float(Bf16 value) {
  return to_float(value);
}
GPUGAUGE_HOST_DEVICE inline float as_float(Fp16 value) {
  return to_float(value);
}
GPUGAUGE_HOST_DEVICE inline float as_float(E4m3 value) {
  return to_float(value);
}

/// Relative rounding error that the type of C may add: half a unit in the last place of bf16 and fp16.
GPUGAUGE_HOST_DEVICE inline double output_rounding(float) {
  return 0;
}
GPUGAUGE_HOST_DEVICE inline double output_rounding(Bf16) {
  return 0x1p-8;
}
GPUGAUGE_HOST_DEVICE inline double output_rounding(Fp16) {
  return 0x1p-11;
}

/// |c - reference| / (|a_row| |b_column|) for element (row, column), less the allowed rounding of the output.
/// B is k x n, or its transpose where b_is_transposed<In>. Infinity when c is NaN, or when it is wrong
/// although the row or the column is zero.
template <typename In, typename Out>
GPUGAUGE_HOST_DEVICE double element_error(const In* a, const In* b, const Out* c, std::int64_t row,
                                          std::int64_t column, std::int64_t n, std::int64_t k) {
  double reference = 0;
  double norm_a = 0;
  double norm_b = 0;
  for (std::int64_t i = 0; i < k; ++i) {
    const double from_a = as_float(a[row * k + i]);
    const double from_b = as_float(b[b_is_transposed<In> ? column * k + i : i * n + column]);
    reference += from_a * from_b;
    norm_a += from_a * from_a;
    norm_b += from_b * from_b;
  }
  const Out element = c[row * n + column];
  const double off = std::fabs(static_cast<double>(as_float(element)) - reference) -
                     output_rounding(element) * std::fabs(reference);
  if (off <= 0) return 0;
  const double scale = std::sqrt(norm_a) * std::sqrt(norm_b);
  const double error = off / scale;
  return error == error ? error : HUGE_VAL;  // NaN in c, or a scale of 0
}

}  // namespace gpugauge::kernels::gemm
