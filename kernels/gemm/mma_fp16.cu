#include "kernels/gemm/mma_fp16.hpp"
#include "kernels/gemm/mma_launch.cuh"

namespace gpugauge::kernels::gemm {

cudaError_t mma_fp16(const Fp16* a, const Fp16* b, Fp16* c, int m, int n, int k, cudaStream_t stream) {
  return mma::launch(a, b, c, m, n, k, stream);
}

cudaError_t mma_fp16(const Fp16* a, const Fp16* b, float* c, int m, int n, int k, cudaStream_t stream) {
  return mma::launch(a, b, c, m, n, k, stream);
}

}  // namespace gpugauge::kernels::gemm
