#include "kernels/gemm/wgmma.hpp"
#include "kernels/gemm/wgmma_launch.cuh"

namespace gpugauge::kernels::gemm {

cudaError_t wgmma(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_ring<Bf16, configs::Best>(a, b, c, m, n, k, stream);
}

cudaError_t wgmma(const E4m3* a, const E4m3* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return launch_ring<E4m3, configs::Best>(a, b, c, m, n, k, stream);
}

}  // namespace gpugauge::kernels::gemm
