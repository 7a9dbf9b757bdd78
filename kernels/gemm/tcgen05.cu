#include "kernels/gemm/product_maps.hpp"
#include "kernels/gemm/tcgen05.cuh"
#include "kernels/gemm/tcgen05.hpp"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::gemm {
namespace {

template <typename In, int Cluster>
cudaError_t launch_tcgen05(const In* a, const In* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  using R = Tcgen05Ring<In, Cluster>;
  const auto kernel = tcgen05_kernel<In, Cluster>;
  ProductMaps maps;
  if (const cudaError_t status =
          maps.make(a, b, c, m, n, k, R::tile_m, sm100::exists(R::kind, current_compute_capability()));
      status != cudaSuccess)
    return status;
  if (const cudaError_t status = has_instructions(kernel, R::threads); status != cudaSuccess) return status;
  const Schedule schedule = schedule_of(m, n, R::tile_m, R::tile_n, Cluster, band_rows / Cluster);
  const std::int64_t units = std::int64_t{schedule.rows} * schedule.columns;
  if (units * Cluster > 0x7fffffff) return cudaErrorInvalidValue;
  if (const cudaError_t status =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, R::shared_bytes);
      status != cudaSuccess)
    return status;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = Cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(units) * Cluster);
  launch.blockDim = dim3(R::threads);
  launch.dynamicSmemBytes = R::shared_bytes;
  launch.stream = stream;
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  int clusters = 0;
  if (const cudaError_t status = cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch);
      status != cudaSuccess)
    return status;
  if (clusters < 1) return cudaErrorLaunchOutOfResources;
  if (clusters < units) launch.gridDim = dim3(static_cast<unsigned>(clusters) * Cluster);
  return cudaLaunchKernelEx(&launch, kernel, maps.a, maps.b, c, m, n, (k - 1) / R::Stage::tile_k + 1,
                            schedule);
}

}  // namespace

cudaError_t tcgen05(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_tcgen05<Bf16, 2>(a, b, c, m, n, k, stream);
}

cudaError_t tcgen05(const E4m3* a, const E4m3* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_tcgen05<E4m3, 2>(a, b, c, m, n, k, stream);
}

cudaError_t tcgen05_persistent(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k,
                               cudaStream_t stream) {
  return launch_tcgen05<Bf16, 1>(a, b, c, m, n, k, stream);
}

}  // namespace gpugauge::kernels::gemm
