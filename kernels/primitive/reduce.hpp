// The sum of an fp32 array, read once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels::primitive {

inline constexpr int reduce_threads = 256;
inline constexpr int reduce_unroll = 4;
inline constexpr int reduce_blocks_per_sm = 8;

/// Floats of scratch that reduce() needs on a GPU of this many SMs. It needs one unsigned in addition.
constexpr std::size_t reduce_partials(int sm_count) {
  return static_cast<std::size_t>(sm_count) * reduce_blocks_per_sm;
}

/// *sum (device) = sum of data[i], i < count. `partials` holds reduce_partials() floats. *finished must be 0
/// before the first call and is 0 again after each. Sums are fp32 throughout, always in the same order on one
/// GPU model, so deterministic. cudaErrorInvalidValue unless `data` is 16-byte aligned. A count of 0 gives 0.
/// Work: count * 4 bytes read.
cudaError_t reduce(const float* data, std::size_t count, float* partials, unsigned* finished, float* sum,
                   cudaStream_t stream);

/// *sum (device) = that sum in fp64, and *magnitude = sum of |data[i]|, the scale of the error. Slow and
/// simple on purpose.
cudaError_t reduce_reference(const float* data, std::size_t count, double* sum, double* magnitude,
                             cudaStream_t stream);

/// Largest |sum - reference| / magnitude of reduce(); a rigorous bound. Each element passes count / (threads
/// of the grid) additions in its thread, 5 in its warp and reduce_threads / 32 in its block. In the last
/// block it passes as many again, and grid / reduce_threads. Every addition rounds by 2^-24 of a partial sum
/// that is no larger than the magnitude (Higham, Accuracy and Stability of Numerical Algorithms, section
/// 4.2).
constexpr double reduce_tolerance(std::size_t count, int sm_count) {
  const std::size_t blocks = reduce_partials(sm_count);
  const std::size_t depth =
      count / (blocks * reduce_threads) + 4 + 2 * (5 + reduce_threads / 32) + blocks / reduce_threads + 1;
  return static_cast<double>(depth) * 0x1p-24;
}

/// Largest |sum - reference| of a sum as deep as reduce()'s over `count` numbers of random sign, such as
/// those of fill_uniform. The rigorous bound is useless there. It grows with the sum of magnitudes, which far
/// exceeds the sum itself, near sqrt(count / 3): even 0 would pass. A partial sum of k numbers is near sqrt(k
/// / 3). Each addition rounds by at most 2^-24 of that, with either sign. Over sums of `depth` additions that
/// is a standard deviation of 2^-24 sqrt(count depth / 18). 136 of them are allowed. For 2^28 numbers on 132
/// SMs that is 1.0, where a warp's share is near 100.
inline double reduce_error_most(std::size_t count, int sm_count, double magnitude) {
  const double rigorous = reduce_tolerance(count, sm_count);
  const double random_signs = 32 * 0x1p-24 * std::sqrt(static_cast<double>(count) * rigorous * 0x1p24);
  return std::min(rigorous * magnitude, random_signs);
}

}  // namespace gpugauge::kernels::primitive
