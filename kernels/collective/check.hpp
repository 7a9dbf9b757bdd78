// Filling and checking the buffers of collectives on the current device.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/collective/predictable.hpp"
#include "kernels/support/comparison.hpp"

namespace gpugauge::kernels::collective {

/// data[i] = predictable(seed, rank, i) for i < count. A count of 0 does nothing.
cudaError_t fill(float* data, std::size_t count, std::uint64_t seed, int rank, cudaStream_t stream);

/// *found (device): counts as wrong the elements i < count of `data` that differ from expected.at(seed, i)
/// bit for bit.
cudaError_t count_mismatches(const float* data, std::size_t count, std::uint64_t seed,
                             const Expected& expected, Comparison* found, cudaStream_t stream);

}  // namespace gpugauge::kernels::collective
