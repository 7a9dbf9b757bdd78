// The work of a complex Fourier transform, and its tolerance.
#pragma once

#include <cmath>
#include <cstdint>

namespace gpugauge::kernels::fft {

/// Floating-point operations counted for one complex transform of n points, whatever the algorithm: 5 n
/// log2(n). This is the count of radix-2 Cooley-Tukey and the convention of FFT benchmarks.
inline double flops(std::int64_t n) {
  return 5.0 * static_cast<double>(n) * std::log2(static_cast<double>(n));
}

/// Least bytes moved by one out-of-place transform: every point is read once and written once.
constexpr double bytes(std::int64_t n, std::int64_t bytes_of_real) {
  return 2.0 * static_cast<double>(n) * 2.0 * static_cast<double>(bytes_of_real);
}

/// Largest |computed - exact| / |exact| in Euclidean norms for n points with unit roundoff u (2^-24 for fp32,
/// 2^-53 for fp64). It is log2(n) times about 7 u with precise twiddle factors (Higham, Accuracy and
/// Stability of Numerical Algorithms, theorem 24.2). The factor 8 leaves room for the rounded input.
inline double tolerance(std::int64_t n, double unit_roundoff) {
  return 8 * unit_roundoff * std::log2(static_cast<double>(n));
}

}  // namespace gpugauge::kernels::fft
