// What a complex Fourier transform does, and how wrong it may be.
#pragma once

#include <cmath>
#include <cstdint>

namespace gpugauge::kernels::fft {

/// Floating-point operations that are counted for one complex transform of n points, whatever is computed: 5
/// n log2(n), the count of radix-2 Cooley-Tukey and the convention of FFT benchmarks.
inline double flops(std::int64_t n) {
  return 5.0 * static_cast<double>(n) * std::log2(static_cast<double>(n));
}

/// Bytes that must move at least for one out-of-place transform: every point read once and written once.
constexpr double bytes(std::int64_t n, std::int64_t bytes_of_real) {
  return 2.0 * static_cast<double>(n) * 2.0 * static_cast<double>(bytes_of_real);
}

/// Largest |computed - exact| / |exact| in Euclidean norms for n points with unit roundoff u (2^-24 for fp32,
/// 2^-53 for fp64): log2(n) times about 7 u (Higham, Accuracy and Stability of Numerical Algorithms, theorem
/// 24.2, with precise twiddle factors); 8 leaves room for the rounded input.
inline double tolerance(std::int64_t n, double unit_roundoff) {
  return 8 * unit_roundoff * std::log2(static_cast<double>(n));
}

}  // namespace gpugauge::kernels::fft
