#include <algorithm>

#include "kernels/gemm/product_maps.hpp"
#include "kernels/gemm/tcgen05.cuh"
#include "kernels/gemm/tcgen05.hpp"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::gemm {
namespace {

template <typename In>
cudaError_t launch_tcgen05(const In* a, const In* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  using R = Tcgen05Ring<In>;
  const auto kernel = tcgen05_kernel<In>;
  const int capability = current_compute_capability();
  ProductMaps maps;
  if (const cudaError_t status = maps.make(a, b, c, m, n, k, R::tile_m, sm100::exists(R::kind, capability));
      status != cudaSuccess)
    return status;
  if (const cudaError_t status = has_instructions(kernel, R::threads); status != cudaSuccess) return status;
  const Schedule schedule = schedule_of(m, n, R::tile_m, R::tile_n, 1, band_rows);
  const std::int64_t units = std::int64_t{schedule.rows} * schedule.columns;
  if (units > 0x7fffffff) return cudaErrorInvalidValue;
  if (const cudaError_t status =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, R::shared_bytes);
      status != cudaSuccess)
    return status;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(units, current_sm_count()));
  kernel<<<blocks, R::threads, R::shared_bytes, stream>>>(maps.a, maps.b, c, m, n,
                                                          (k - 1) / R::Stage::tile_k + 1, schedule);
  return cudaGetLastError();
}

}  // namespace

cudaError_t tcgen05(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_tcgen05<Bf16>(a, b, c, m, n, k, stream);
}

cudaError_t tcgen05(const E4m3* a, const E4m3* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_tcgen05<E4m3>(a, b, c, m, n, k, stream);
}

}  // namespace gpugauge::kernels::gemm
