#include "kernels/gemm/simt_fp32.cuh"
#include "kernels/gemm/simt_fp32.hpp"

namespace gpugauge::kernels::gemm {

cudaError_t simt_fp32(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m < 1 || n < 1 || k < 1) return cudaErrorInvalidValue;
  const TileOrder order{(m + simt::tile_m - 1) / simt::tile_m, (n + simt::tile_n - 1) / simt::tile_n};
  const auto blocks = static_cast<unsigned>(order.rows * order.columns);
  const auto together = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b) |
                        reinterpret_cast<std::uintptr_t>(c);
  const bool wide = k % 4 == 0 && n % 4 == 0 && together % 16 == 0;
  const auto kernel = !wide                   ? simt::simt_fp32_kernel<simt::AnySteps<false>>
                      : k % simt::tile_k != 0 ? simt::simt_fp32_kernel<simt::AnySteps<true>>
                                              : simt::simt_fp32_kernel<simt::WholeSteps>;
  kernel<<<blocks, simt::threads, 0, stream>>>(a, b, c, m, n, k, order);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::gemm
