// Launches the wgmma products.
#pragma once

#include <cstdint>

#include "kernels/gemm/tensor_map_encode.hpp"
#include "kernels/gemm/wgmma_configs.hpp"
#include "kernels/gemm/wgmma_ring.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::gemm {

/// The tensor maps of the three matrices.
struct ProductMaps {
  CUtensorMap a, b, c;

  /// Checks sizes, alignment and the GPU, and encodes the maps.
  template <typename In>
  cudaError_t make(const In* from_a, const In* from_b, Bf16* to_c, int m, int n, int k, int tile_m) {
    constexpr int largest = 1 << 30;  // keeps coordinates of edge tiles from overflowing
    if (m < 1 || n < 1 || k < 1 || m > largest || n > largest || k > largest || n % 8 != 0)
      return cudaErrorInvalidValue;
    constexpr int element = sizeof(In);
    const bool transposed = b_is_transposed<In>;
    const BoxedMatrix box_a{from_a, element, m, k, tile_m};
    const BoxedMatrix box_b{from_b, element, transposed ? n : k, transposed ? k : n, 64};
    const BoxedMatrix box_c{to_c, static_cast<int>(sizeof(Bf16)), m, n, 64};
    const auto together = reinterpret_cast<std::uintptr_t>(from_a) |
                          reinterpret_cast<std::uintptr_t>(from_b) | reinterpret_cast<std::uintptr_t>(to_c);
    if (together % 16 != 0 || !can_be_boxed(box_a) || !can_be_boxed(box_b)) return cudaErrorInvalidValue;
    if (current_compute_capability() != 90) return cudaErrorNoKernelImageForDevice;
    if (const cudaError_t status = encode(box_a, &a); status != cudaSuccess) return status;
    if (const cudaError_t status = encode(box_b, &b); status != cudaSuccess) return status;
    return encode(box_c, &c);
  }
};

template <typename In, typename Config>
cudaError_t launch_ring(const In* a, const In* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  using R = Ring<In, Config>;
  const auto kernel = wgmma_ring_kernel<In, Config>;
  ProductMaps maps;
  if (const cudaError_t status = maps.make(a, b, c, m, n, k, R::tile_m); status != cudaSuccess) return status;
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
