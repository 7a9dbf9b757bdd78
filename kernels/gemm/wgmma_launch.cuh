// Launches the wgmma products.
#pragma once

#include <cstdint>

#include "kernels/gemm/product_maps.hpp"
#include "kernels/gemm/wgmma_configs.hpp"
#include "kernels/gemm/wgmma_ring.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::gemm {

template <typename In, typename Config>
cudaError_t launch_ring(const In* a, const In* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  using R = Ring<In, Config>;
  const auto kernel = wgmma_ring_kernel<In, Config>;
  ProductMaps maps;
  if (const cudaError_t status = maps.make(a, b, c, m, n, k, R::tile_m, current_compute_capability() == 90);
      status != cudaSuccess)
    return status;
  // A build without code for 9.0 would run other code there (PTX of 8.0), in which the kernel traps.
  if (const cudaError_t status = supports(kernel, 90); status != cudaSuccess) return status;
  const Schedule schedule =
      schedule_of(m, n, R::tile_m, R::tile_n, Config::cluster, band_rows / Config::cluster);
  const std::int64_t units = std::int64_t{schedule.rows} * schedule.columns;
  if (units * Config::cluster > 0x7fffffff) return cudaErrorInvalidValue;

  if (const cudaError_t status =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, R::shared_bytes);
      status != cudaSuccess)
    return status;
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = Config::cluster;
  attributes[0].val.clusterDim.y = 1;
  attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(units) * Config::cluster);
  launch.blockDim = dim3(R::threads);
  launch.dynamicSmemBytes = R::shared_bytes;
  launch.stream = stream;
  launch.attrs = attributes;
  launch.numAttrs = Config::early_launch ? 2 : 1;
  if constexpr (Config::persistent) {
    int clusters = 0;
    if (const cudaError_t status = cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch);
        status != cudaSuccess)
      return status;
    if (clusters < 1) return cudaErrorLaunchOutOfResources;
    if (clusters < units) launch.gridDim = dim3(static_cast<unsigned>(clusters) * Config::cluster);
  }
  return cudaLaunchKernelEx(&launch, kernel, maps.a, maps.b, maps.c, c, m, n, (k - 1) / R::Stage::tile_k + 1,
                            schedule);
}

}  // namespace gpugauge::kernels::gemm
