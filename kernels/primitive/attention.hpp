// Scaled-dot-product attention, forward, in one kernel: O = softmax(Q K^T / sqrt(head_dim)) V for each head,
// bf16 in and out, fp32 sums, by mma.sync. The matrix of scores is never written (Dao, Fu, Ermon, Rudra and
// Re, "FlashAttention", NeurIPS 2022).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/bf16.hpp"
#include "kernels/support/comparison.hpp"
#include "kernels/support/host_device.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::primitive {

/// heads = batch x heads. Each of q, k, v, o is heads x length x head_dim, row-major and dense.
struct AttentionShape {
  int heads = 0;     ///< >= 1, at most 65535
  int length = 0;    ///< sequence length, >= 1
  int head_dim = 0;  ///< 64 or 128
  /// Query i sees the keys 0 to i only.
  bool causal = false;

  /// Elements of each of q, k, v and o.
  std::size_t elements() const {
    return static_cast<std::size_t>(heads) * static_cast<std::size_t>(length) *
           static_cast<std::size_t>(head_dim);
  }
};

/// cudaErrorInvalidValue for a shape out of range or a pointer that is not 16-byte aligned.
/// cudaErrorNotSupported below compute capability 8.0. o must not overlap the others.
cudaError_t attention(const Bf16* q, const Bf16* k, const Bf16* v, Bf16* o, AttentionShape shape,
                      cudaStream_t stream);

/// Two products of length x length x head_dim per head. Causal attention counts half of them, by convention.
constexpr double attention_flops(const AttentionShape& shape) {
  return (shape.causal ? 2.0 : 4.0) * shape.heads * static_cast<double>(shape.length) * shape.length *
         shape.head_dim;
}

/// Least bytes moved: three inputs and one output.
inline double attention_bytes(const AttentionShape& shape) {
  return 4.0 * sizeof(Bf16) * static_cast<double>(shape.elements());
}

/// Row that sample `sample` < samples checks, of head attention_sampled_head(sample). There is one from each
/// of `samples` equal parts of the sequence, so that enough samples cover every row of a tile.
/// @pre 1 <= samples <= length
GPUGAUGE_HOST_DEVICE inline int attention_sampled_row(int sample, int samples, int length,
                                                      std::uint64_t seed) {
  const std::int64_t first = static_cast<std::int64_t>(sample) * length / samples;
  const std::int64_t end = (static_cast<std::int64_t>(sample) + 1) * length / samples;
  if (sample == samples - 1) return length - 1;
  return static_cast<int>(
      first + static_cast<std::int64_t>(random_bits(seed, sample) % static_cast<std::uint64_t>(end - first)));
}
GPUGAUGE_HOST_DEVICE inline int attention_sampled_head(int sample, int heads) {
  return sample % heads;
}

/// *comparison (device): the largest error over all head_dim elements of `samples` rows, against fp64;
/// infinity when an element is NaN. The error is (|o - reference| - 2^-8 |reference|) / sqrt(sum of the
/// squares of the row's weights), so the rounding of the result is subtracted. Slow and simple on purpose.
cudaError_t attention_error(const Bf16* q, const Bf16* k, const Bf16* v, const Bf16* o, AttentionShape shape,
                            int samples, std::uint64_t seed, Comparison* comparison, cudaStream_t stream);

/// Weights are rounded to bf16 before they multiply V. That makes n errors of at most 2^-8 of weight times
/// value, independent and of either sign, with |value| <= 1 of variance 1/3. In the measure above their
/// standard deviation is 2^-8 / 3. Up to n = 16 they cannot exceed 4 x 2^-8 at all. The tolerance is twelve
/// standard deviations. fp32 sums and the exponential add only about 1e-5. A lost key costs 1/sqrt(n) where
/// weights are about equal, which is above the tolerance up to n of about 4,000. A lost tile always is.
inline constexpr double attention_tolerance = 4 * 0x1p-8;

}  // namespace gpugauge::kernels::primitive
