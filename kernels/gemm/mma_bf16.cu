#include "kernels/gemm/mma_bf16.hpp"
#include "kernels/gemm/mma_launch.cuh"

namespace gpugauge::kernels::gemm {

cudaError_t mma_bf16(const Bf16* a, const Bf16* b, Bf16* c, int m, int n, int k, cudaStream_t stream) {
  return mma::launch(a, b, c, m, n, k, stream);
}

cudaError_t mma_bf16(const Bf16* a, const Bf16* b, float* c, int m, int n, int k, cudaStream_t stream) {
  return mma::launch(a, b, c, m, n, k, stream);
}

}  // namespace gpugauge::kernels::gemm
