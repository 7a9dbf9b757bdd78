// Inputs whose transform is known, and the error of a computed one.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/comparison.hpp"
#include "kernels/support/element.hpp"
#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::fft {

/// `batch` transforms of one, two or three dimensions, the last one contiguous; missing dimensions are 1.
/// Complex numbers are interleaved.
struct Shape {
  /// Points along each dimension, >= 1.
  int n[3] = {1, 1, 1};
  /// Number of transforms, one after the other, >= 1.
  int batch = 1;
  Element type = Element::fp32;  ///< fp32 or fp64

  /// Points of one transform.
  GPUGAUGE_HOST_DEVICE std::int64_t points() const { return static_cast<std::int64_t>(n[0]) * n[1] * n[2]; }
};

/// The bin that holds all of transform `batch`'s plane wave; `seed` chooses it.
GPUGAUGE_HOST_DEVICE inline std::int64_t wave_bin(const Shape& shape, std::int64_t batch,
                                                  std::uint64_t seed) {
  return static_cast<std::int64_t>(random_bits(seed, static_cast<std::uint64_t>(batch)) %
                                   static_cast<std::uint64_t>(shape.points()));
}

/// Phase in turns, in [0, dimensions), of the wave of bin `bin` at `point`, both flat indices. For
/// power-of-two sizes the sum of fractions is exact.
GPUGAUGE_HOST_DEVICE inline double wave_turns(const Shape& shape, std::int64_t bin, std::int64_t point) {
  double turns = 0;
  for (int dimension = 2; dimension >= 0; --dimension) {
    const std::int64_t n = shape.n[dimension];
    turns += static_cast<double>(bin % n * (point % n) % n) / static_cast<double>(n);
    bin /= n;
    point /= n;
  }
  return turns;
}

/// data = exp(2 pi i turns) for each transform's own bin. Its forward transform is points() there and 0
/// elsewhere.
cudaError_t fill_plane_waves(void* data, const Shape& shape, std::uint64_t seed, cudaStream_t stream);

/// *comparison (device): the largest |computed - exact| / points() of any bin, for forward transforms of
/// fill_plane_waves. Infinity where one is NaN.
cudaError_t spectrum_error(const void* data, const Shape& shape, std::uint64_t seed, Comparison* comparison,
                           cudaStream_t stream);

/// sums (device) = {sum of |data / points() - x|^2, sum of |x|^2}, where x is fill_elements' stream `seed`.
/// An inverse of a forward transform should return x.
cudaError_t round_trip_sums(const void* data, const Shape& shape, std::uint64_t seed, double* sums,
                            cudaStream_t stream);

}  // namespace gpugauge::kernels::fft
