// Launches an exact comparison of any kind.
#pragma once

#include "kernels/support/comparison.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels {

/// Compares the elements 0 to count - 1 exactly. Returns the launch's error. A count of 0 compares nothing,
/// so the comparison is not complete.
template <typename Right>
cudaError_t compare_exactly(std::size_t count, Right right, Comparison* comparison, cudaStream_t stream) {
  if (const cudaError_t status = begin_comparison(comparison, count, stream); status != cudaSuccess)
    return status;
  if (count == 0) return cudaSuccess;
  compare_kernel<<<current_sm_count() * 8, 256, 0, stream>>>(count, right, comparison);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels
