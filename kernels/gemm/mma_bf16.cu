#include "kernels/gemm/mma_bf16.cuh"
#include "kernels/gemm/mma_bf16.hpp"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::gemm {
namespace {

template <typename Out>
cudaError_t launch(const Bf16* a, const Bf16* b, Out* c, int m, int n, int k, cudaStream_t stream) {
  if (m < 1 || n < mma::chunk || k < mma::chunk || n % mma::chunk != 0 || k % mma::chunk != 0)
    return cudaErrorInvalidValue;
  const auto together = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b) |
                        reinterpret_cast<std::uintptr_t>(c);
  if (together % 16 != 0) return cudaErrorInvalidValue;
  if (current_compute_capability() < 80) return cudaErrorNotSupported;
  if (const cudaError_t status = cudaFuncSetAttribute(
          mma::mma_bf16_kernel<Out>, cudaFuncAttributeMaxDynamicSharedMemorySize, mma::shared_bytes);
      status != cudaSuccess)
    return status;
  const TileOrder order{(m + mma::tile_m - 1) / mma::tile_m, (n + mma::tile_n - 1) / mma::tile_n};
  mma::mma_bf16_kernel<Out>
      <<<static_cast<unsigned>(order.rows * order.columns), mma::threads, mma::shared_bytes, stream>>>(
          a, b, c, m, n, k, order);
  return cudaGetLastError();
}

}  // namespace

cudaError_t mma_bf16(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch(a, b, c, m, n, k, stream);
}

cudaError_t mma_bf16(const Bf16* a, const Bf16* b, float* c, int m, int n, int k, cudaStream_t stream) {
  return launch(a, b, c, m, n, k, stream);
}

}  // namespace gpugauge::kernels::gemm
