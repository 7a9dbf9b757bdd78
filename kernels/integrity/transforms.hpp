// Fourier transforms within shared memory that report a checksum and the SM of each. They find an SM whose
// shared memory, fp32 units or data exchange between threads is faulty.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>
#include <vector_types.h>

namespace gpugauge::kernels::integrity {

/// Complex points of a transform.
inline constexpr int transform_points = 1024;
/// Rounding errors of one transform, relative in Euclidean norms, in units of the rounding error u. There are
/// five steps. Each is at most a complex product with a rounded factor (2 sqrt(2) + 1) and two complex
/// additions.
inline constexpr double transform_errors = 5 * 6;

/// Bound on the relative error, in Euclidean norms, of `times` consecutive transforms.
constexpr double transform_tolerance(int times) {
  return 1.01 * transform_errors * times * 0x1p-24;
}

/// Transforms `count` rows of transform_points complex numbers. Row t holds uniform(seed, 2 (1024 t + i)) and
/// its successor as real and imaginary part of element i. Applies the unitary transform (divided by 32,
/// exactly) `times` times in sequence; four of them restore the input up to rounding. `factors`:
/// transform_factors(). Writes the results to `to`. Also writes, per row, the checksum of uniform.hpp over
/// its words with their indices in `to`, and the number of the SM that made it. Deterministic.
/// cudaErrorInvalidValue for a count or a number of times below 1.
cudaError_t transform_rows(const float2* factors, float2* to, int count, int times, std::uint64_t seed,
                           unsigned long long* sums, std::uint32_t* sms, cudaStream_t stream);

/// exp(-2 pi i k / 1024) for k = 0 to 1023, rounded to fp32; real and imaginary parts in turn.
void transform_factors(float2 (&factors)[transform_points]);

}  // namespace gpugauge::kernels::integrity
