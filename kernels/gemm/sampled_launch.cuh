// Launches a check of sampled rows, so many at once that no launch takes long.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "kernels/gemm/tiling.hpp"
#include "kernels/support/comparison.hpp"

namespace gpugauge::kernels::gemm {

/// Begins `comparison` and calls launch(grid, first) until every sampled row of the m x n product was launched:
/// blocks of `threads` threads, one thread per column, and one row of the grid per sample from `first` on.
/// Returns the first error; cudaErrorInvalidValue unless 1 <= samples <= m and n, k >= 1.
template <int threads, typename Launch>
cudaError_t launch_sampled(int m, int n, int k, int samples, Comparison* comparison, cudaStream_t stream,
                           const Launch& launch) {
  if (m < 1 || n < 1 || k < 1 || samples < 1 || samples > m) return cudaErrorInvalidValue;
  if (const cudaError_t status = begin_comparison(
          comparison, static_cast<std::size_t>(samples) * static_cast<std::size_t>(n), stream);
      status != cudaSuccess)
    return status;
  const int at_once = samples_at_once(n, k);
  for (int first = 0; first < samples; first += at_once) {
    const int here = samples - first < at_once ? samples - first : at_once;
    launch(dim3(static_cast<unsigned>((n + threads - 1) / threads), static_cast<unsigned>(here)), first);
    if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

}  // namespace gpugauge::kernels::gemm
