// Checks that every element of a result is finite. Elements that a kernel forgets to write are still poison
// (fill.hpp), which repeats bit for bit and may lie in no sampled row.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "kernels/support/comparison.hpp"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels {

/// *found (device): counts as wrong the infinite or NaN elements among `count` of `data` (device). Returns
/// the launch's error.
cudaError_t count_not_finite(const float* data, std::size_t count, Comparison* found, cudaStream_t stream);
cudaError_t count_not_finite(const Bf16* data, std::size_t count, Comparison* found, cudaStream_t stream);
cudaError_t count_not_finite(const Fp16* data, std::size_t count, Comparison* found, cudaStream_t stream);

}  // namespace gpugauge::kernels
