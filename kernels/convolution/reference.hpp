// Checks a convolution: sampled results against sums in fp64.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/convolution/shape.hpp"
#include "kernels/support/comparison.hpp"

namespace gpugauge::kernels::convolution {

/// *comparison (device): the largest element_error over `samples` results. `seed` chooses them, spread over
/// all results, always including the first and the last. One thread per result; slow and simple on purpose.
/// @pre 1 <= samples <= result.count(): else cudaErrorInvalidValue
cudaError_t sampled_error(const Shape& shape, Pass pass, const Tensor& image, const Tensor& other,
                          const Tensor& result, std::int64_t samples, std::uint64_t seed,
                          Comparison* comparison, cudaStream_t stream);

}  // namespace gpugauge::kernels::convolution
