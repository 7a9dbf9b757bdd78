// Is every element of a result a finite number? What a kernel forgets to write is still poison (fill.hpp),
// which repeats bit for bit and lies in no sampled row.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "kernels/support/comparison.hpp"
#include "kernels/support/small_float.hpp"

namespace gpugauge::kernels {

/// Into *found (device): how many of the `count` elements of `data` (device) are infinite or no number.
/// Returns the launch's error.
cudaError_t count_not_finite(const float* data, std::size_t count, Comparison* found, cudaStream_t stream);
cudaError_t count_not_finite(const Bf16* data, std::size_t count, Comparison* found, cudaStream_t stream);
cudaError_t count_not_finite(const Fp16* data, std::size_t count, Comparison* found, cudaStream_t stream);

}  // namespace gpugauge::kernels
