// Operations on the rows of an fp32 matrix that need a whole row: softmax, layer norm, RMS norm. A block
// holds its row in registers, so that every element is read once and written once.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/comparison.hpp"
#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::primitive {

/// Longest row that a block holds in registers.
inline constexpr int longest_row = 16384;

/// All matrices are row-major and dense. cudaErrorInvalidValue unless pointers are 16-byte aligned, rows >= 1
/// and 1 <= columns <= longest_row. Accesses are 16 bytes wide where columns is a multiple of 4. Input and
/// output must not overlap. Work: rows * columns * 4 bytes read and as many written.

/// to[r, c] = exp(from[r, c] - m) / sum over the row of exp(from[r, .] - m), where m is the row's largest
/// element.
cudaError_t softmax(const float* from, float* to, int rows, int columns, cudaStream_t stream);

/// to[r, c] = (from[r, c] - mean) / sqrt(variance + epsilon) * gain[c] + bias[c], with mean and variance
/// (divided by columns) of the row.
cudaError_t layer_norm(const float* from, const float* gain, const float* bias, float epsilon, float* to,
                       int rows, int columns, cudaStream_t stream);

/// to[r, c] = from[r, c] / sqrt(mean of squares of the row + epsilon) * gain[c].
cudaError_t rms_norm(const float* from, const float* gain, float epsilon, float* to, int rows, int columns,
                     cudaStream_t stream);

// Verification. *comparison (device): the largest error against fp64 over all columns of `samples` rows
// spread over the matrix, including the first and the last. Infinity when an element is NaN. 1 <= samples <=
// rows. The error is |to - reference| / reference for softmax, whose results are all above 0. For the norms
// it is |to - reference| / (1 + |reference|). Slow and simple on purpose.

cudaError_t softmax_error(const float* from, const float* to, int rows, int columns, int samples,
                          Comparison* comparison, cudaStream_t stream);
cudaError_t layer_norm_error(const float* from, const float* gain, const float* bias, float epsilon,
                             const float* to, int rows, int columns, int samples, Comparison* comparison,
                             cudaStream_t stream);
cudaError_t rms_norm_error(const float* from, const float* gain, float epsilon, const float* to, int rows,
                           int columns, int samples, Comparison* comparison, cudaStream_t stream);

/// Row that sample `sample` of `samples` checks: spread evenly, both ends included.
GPUGAUGE_HOST_DEVICE constexpr int checked_row(int sample, int samples, int rows) {
  return samples <= 1 ? 0 : static_cast<int>(static_cast<std::int64_t>(sample) * (rows - 1) / (samples - 1));
}

/// Largest error allowed, for inputs of [-1, 1].
///
/// Softmax: exp by ex2.approx (2 units in the last place, PTX ISA) of an argument below 2 log2(e) that was
/// rounded once (2^-23 absolute); a sum of positive terms (32 of a thread, 5 tree levels of a warp, 16 warps;
/// or 16, 5 and 32: 53 additions); and the quotient. That is below 70 roundings of 2^-24; the rest is
/// reserve.
///
/// Norms: the same sums, over terms of one sign in the variance. The mean's error is below 2^-19 in this
/// measure. Inputs of a long row have variance about 1/3, so the factor is about 1.7. Rows so short that
/// their variance nearly vanishes are for tests with their own tolerance.
inline constexpr double softmax_tolerance = 80 * 0x1p-24;
inline constexpr double norm_tolerance = 80 * 0x1p-24;

}  // namespace gpugauge::kernels::primitive
