// Launches the mma.sync products.
#pragma once

#include <cstdint>

#include "kernels/gemm/mma_sync.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::gemm::mma {

/// See mma_bf16.hpp.
template <typename In, typename Out>
cudaError_t launch(const In* a, const In* b, Out* c, int m, int n, int k, cudaStream_t stream) {
  if (m < 1 || n < chunk || k < chunk || n % chunk != 0 || k % chunk != 0) return cudaErrorInvalidValue;
  const auto together = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b) |
                        reinterpret_cast<std::uintptr_t>(c);
  if (together % 16 != 0) return cudaErrorInvalidValue;
  if (const cudaError_t status = supports(mma_sync_kernel<In, Out>, 80); status != cudaSuccess) return status;
  if (const cudaError_t status = cudaFuncSetAttribute(
          mma_sync_kernel<In, Out>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
      status != cudaSuccess)
    return status;
  const TileOrder order{(m + tile_m - 1) / tile_m, (n + tile_n - 1) / tile_n};
  mma_sync_kernel<In, Out>
      <<<static_cast<unsigned>(order.rows * order.columns), threads, shared_bytes, stream>>>(a, b, c, m, n, k,
                                                                                             order);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::gemm::mma
