#include "kernels/gemm/wgmma.hpp"
#include "kernels/gemm/wgmma_launch.cuh"
#include "kernels/gemm/wgmma_tile.cuh"

namespace gpugauge::kernels::gemm {
namespace {

template <int TileM, int TileN>
cudaError_t launch_tile(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  using T = WgmmaTile<TileM, TileN>;
  ProductMaps maps;
  if (const cudaError_t status = maps.make(a, b, c, m, n, k, TileM, current_compute_capability() == 90);
      status != cudaSuccess)
    return status;
  const Schedule schedule = schedule_of(m, n, TileM, TileN, 1, 1);
  const std::int64_t units = std::int64_t{schedule.rows} * schedule.columns;
  if (units > 0x7fffffff) return cudaErrorInvalidValue;
  const auto kernel = wgmma_tile_kernel<TileM, TileN>;
  if (const cudaError_t status = supports(kernel, 90); status != cudaSuccess) return status;
  if (const cudaError_t status =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::shared_bytes);
      status != cudaSuccess)
    return status;
  kernel<<<static_cast<unsigned>(units), T::threads, T::shared_bytes, stream>>>(
      maps.a, maps.b, c, m, n, (k - 1) / T::Stage::tile_k + 1, schedule);
  return cudaGetLastError();
}

}  // namespace

cudaError_t wgmma_tile_64(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_tile<64, 64>(a, b, c, m, n, k, stream);
}

cudaError_t wgmma_tile_128(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_tile<128, 128>(a, b, c, m, n, k, stream);
}

cudaError_t wgmma_ring(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_ring<Bf16, configs::OneConsumer>(a, b, c, m, n, k, stream);
}

cudaError_t wgmma_ring_wide(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_ring<Bf16, configs::OneConsumerWide>(a, b, c, m, n, k, stream);
}

cudaError_t wgmma_two_consumers(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k,
                                cudaStream_t stream) {
  return launch_ring<Bf16, configs::TwoConsumers>(a, b, c, m, n, k, stream);
}

cudaError_t wgmma_persistent_rows(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k,
                                  cudaStream_t stream) {
  return launch_ring<Bf16, configs::PersistentRows>(a, b, c, m, n, k, stream);
}

cudaError_t wgmma_persistent(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k,
                             cudaStream_t stream) {
  return launch_ring<Bf16, configs::Persistent>(a, b, c, m, n, k, stream);
}

cudaError_t wgmma_cluster(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_ring<Bf16, configs::Cluster>(a, b, c, m, n, k, stream);
}

cudaError_t wgmma_tma_store(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_ring<Bf16, configs::TmaStore>(a, b, c, m, n, k, stream);
}

cudaError_t wgmma_overlap(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_ring<Bf16, configs::Overlap>(a, b, c, m, n, k, stream);
}

}  // namespace gpugauge::kernels::gemm
