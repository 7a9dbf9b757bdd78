// The histogram of an fp32 array over 256 even bins of [-1, 1), read once.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::primitive {

inline constexpr int histogram_bins = 256;
inline constexpr int histogram_threads = 512;
inline constexpr int histogram_unroll = 4;
inline constexpr int histogram_blocks_per_sm = 4;

/// Bin of a value of [-1, 1), exact for multiples of 2^-23; values outside, and NaN, are clamped to the ends.
GPUGAUGE_HOST_DEVICE inline int bin_of(float value) {
  const float scaled = (value + 1.0F) * (histogram_bins / 2);
  if (!(scaled > 0)) return 0;
  return scaled < histogram_bins ? static_cast<int>(scaled) : histogram_bins - 1;
}

/// bins[b] = number of elements of data in bin b, for b < histogram_bins; set, not added to.
/// cudaErrorInvalidValue unless `data` is 16-byte aligned. count < 2^32. Work: count * 4 bytes read.
cudaError_t histogram(const float* data, std::size_t count, std::uint32_t* bins, cudaStream_t stream);

/// The bins that uniform(seed, i), i < count, must give. Computed from the generator with one atomic addition
/// per element; slow and simple on purpose.
cudaError_t expected_histogram(std::size_t count, std::uint64_t seed, std::uint32_t* bins,
                               cudaStream_t stream);

}  // namespace gpugauge::kernels::primitive
